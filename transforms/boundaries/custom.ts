/**
 * Strategies of the user's own: an object that is one, or a function that says where the furthest cut is. In the library they are
 * passed as values; on the command line a module is named whose default export is either.
 */
import { IngestError } from '../../src/errors.js';
import type { LaterStrategy } from '../../src/spec.js';
import type { Strategy } from '../../src/types.js';

/** The furthest place in `(from, to]` where `view`, which begins where the chunk does, may be cut. */
export type CutFunction = (view: string, from: number, to: number) => number | undefined;

export function custom(cut: CutFunction, name = cut.name || 'custom'): Strategy {
  const last = (view: string, from: number, to: number) => {
    const at = cut(view, from, to);
    return at === undefined ? undefined : { end: at, next: at };
  };
  return { name, packing: 'fill', levels: [{ name, last }] };
}

/** Whether a name of a strategy is the path of a module. */
export function isModule(name: string): boolean {
  return /^\.{0,2}[/\\]|\.[cm]?js$/.test(name);
}

/** A strategy in a module of the user's, called by its path. */
export function moduleStrategy(path: string): LaterStrategy {
  return {
    name: path,
    async load({ load }) {
      const { default: given } = (await load(path).catch((error: unknown) => {
        throw new IngestError('config', 'bad-strategy', `the strategy ${path} could not be loaded: ${(error as Error).message}`, {
          cause: error,
        });
      })) as { readonly default?: unknown };
      const strategy = strategyOf(given, path);
      if (strategy !== undefined) return strategy;
      const sentence =
        `the strategy ${path} must have a default export that is a function (view, from, to), ` +
        'or an object with a name, a packing (fill or each) and levels';
      throw new IngestError('config', 'bad-strategy', sentence);
    },
  };
}

/** What was given as a strategy, as one; undefined: it is none. */
export function strategyOf(given: unknown, name?: string): Strategy | undefined {
  if (typeof given === 'function') return custom(given as CutFunction, name);
  return isStrategy(given) ? given : undefined;
}

function isStrategy(given: unknown): given is Strategy {
  const { name, packing, levels } = (given ?? {}) as { readonly [key in keyof Strategy]?: unknown };
  return (
    typeof name === 'string' &&
    (packing === 'fill' || packing === 'each') &&
    Array.isArray(levels) &&
    (packing === 'fill' || levels.length > 0) &&
    levels.every((level) => typeof level?.last === 'function')
  );
}
