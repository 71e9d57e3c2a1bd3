/**
 * Ends every run with one plain line, `N passed, N failed` (`, N skipped` when there are any), for scripts that read only the
 * last line. What stopped tests from running counts as failed too: a file that does not load, a hook that throws, an error
 * that no test caught, a test cut off by an interrupt. So `0 failed` is printed only when nothing went wrong.
 */
import type { Reporter, TestModule, Vitest } from 'vitest/node';

export class Tally implements Reporter {
  #watching = false;
  #line = '0 passed, 1 failed';
  #waiting = false;

  onInit(vitest: Vitest): void {
    this.#watching = vitest.config.watch;
    this.#printAtExit();
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let [passed, failed, skipped] = [0, unhandledErrors.length, 0];
    for (const module of modules) {
      if (module.errors().length > 0) failed += 1;
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'skipped') skipped += 1;
        else failed += 1;
      }
    }
    if (modules.length === 0 && failed === 0) failed = 1; // no test was found: vitest fails as well
    this.#line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    if (this.#watching) process.stdout.write(`${this.#line}\n`);
  }

  /** At the exit of the process, since vitest goes on printing after the run: the summary, late errors, a slow close. */
  #printAtExit(): void {
    if (this.#watching || this.#waiting) return;
    this.#waiting = true;
    process.once('exit', () => process.stdout.write(`${this.#line}\n`));
  }
}
