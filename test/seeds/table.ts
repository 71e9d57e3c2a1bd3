/**
 * Prints the rows of the seeds as a table: how each went and what was measured, or where it belongs. A reporter of vitest's; it also
 * asks for the measuring, which plain runs of the tests leave out.
 */
import type { Reporter, TestCase, TestModule } from 'vitest/node';

export default class Table implements Reporter {
  constructor() {
    process.env.MILLRACE_MEASURE = 'yes';
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { readonly message: string }[]): void {
    const tests = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => test.result().state !== 'skipped');
    const problems = [...unhandled, ...modules.flatMap((module) => module.errors())].map(({ message }) => `FAIL: ${message}`);
    const failed = tests.filter((test) => test.result().state !== 'passed');
    const elsewhere = tests.flatMap((test) => test.meta().elsewhere ?? []);
    const checked = tests.filter((test) => test.meta().elsewhere === undefined).map(rowOf);
    const others = elsewhere.map(({ id, seeds, what, elsewhere }) => `${id} | ${seeds} | ${what} | elsewhere: ${elsewhere}`);
    const rows = [...checked, ...others].sort(new Intl.Collator('en', { numeric: true }).compare);
    const passed = checked.length - failed.length;
    const sum = `${passed} pass, ${failed.length + problems.length} fail, ${others.length} elsewhere`;
    process.stdout.write(`${[...rows, ...problems, '', sum].join('\n')}\n`);
  }
}

function rowOf(test: TestCase): string {
  const { state, errors = [] } = test.result();
  const { note } = test.meta();
  const [sentence] = (errors[0]?.message ?? '').split('\n', 1);
  return [test.name, state === 'passed' ? 'pass' : `FAIL: ${sentence}`, ...(note === undefined ? [] : [note])].join(' | ');
}
