/**
 * Machines as streams and as stages of stream-chain, sinks as Writables: one output at a time, errors and signals as
 * `stream.pipeline` expects.
 */
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import chain from 'stream-chain';
import { describe, expect, it } from 'vitest';
import { duplex, duplexOnce, stage, writable } from '../../src/pipeline.js';
import type { Machine, WrittenFile } from '../../src/types.js';

/** Each number n becomes n times its letter; the end gives one more. */
function repeater(made: { count: number } = { count: 0 }): Machine<number, string> {
  return {
    *push(n) {
      for (let i = 0; i < n; i++) {
        made.count++;
        yield `${n}:${i}`;
      }
    },
    *end() {
      yield 'end';
    },
  };
}

/** `Array.fromAsync`, which Node 20 lacks. */
async function arrayOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A sink that notes what is done with it; `broken` is what it does instead. */
function noted(broken: { write?: () => void | Promise<void>; commit?: () => void } = {}) {
  const done: string[] = [];
  const files: readonly WrittenFile[] = [{ path: 'out', bytes: 1, sha256: '', chunks: 1 }];
  return {
    done,
    sink: {
      write(chunk: string) {
        done.push(chunk);
        return broken.write?.();
      },
      async commit() {
        done.push('commit');
        broken.commit?.();
        return files;
      },
      async abort() {
        done.push('abort');
      },
    },
  };
}

describe('duplex', () => {
  it('gives what the machine gives, in order, its end included', async () => {
    const stream = duplex(repeater());
    expect(await arrayOf(Readable.from([2, 0, 3]).pipe(stream))).toEqual(['2:0', '2:1', '3:0', '3:1', '3:2', 'end']);
  });

  it('gives the end of a machine that got nothing', async () => {
    expect(await arrayOf(Readable.from([]).pipe(duplex(repeater())))).toEqual(['end']);
  });

  it('takes from the machine only what fits, within one input too', async () => {
    const made = { count: 0 };
    const stream = duplex(repeater(made));
    stream.write(1_000_000);
    for (let n = 0; n < 20; n++) await turn();
    expect(made.count).toBeLessThan(100);
    expect(stream.read()).toBe('1000000:0');
    for (let n = 0; n < 20; n++) await turn();
    expect(made.count).toBeLessThan(200);
    stream.destroy();
    for (let n = 0; n < 20; n++) await turn();
    expect(made.count).toBeLessThan(200);
  });

  it('lets the machine close what it holds when it is destroyed in the middle of an input', async () => {
    let closed = false;
    const stream = duplex<number, number>({
      *push() {
        try {
          for (let n = 0; ; n++) yield n;
        } finally {
          closed = true;
        }
      },
      end: () => [],
    });
    for await (const n of Readable.from([1]).pipe(stream)) if (n === 100) break;
    for (let n = 0; n < 20; n++) await turn();
    expect(closed).toBe(true);
  });

  it.each(['push', 'end'] as const)('passes on what the machine throws in %s', async (where) => {
    const broken = function* (): Iterable<string> {
      yield 'one';
      throw new RangeError('the machine broke');
    };
    const machine: Machine<number, string> = { push: () => [], end: () => [], [where]: broken };
    const sink = noted();
    await expect(pipeline([1], duplex(machine), writable(sink.sink))).rejects.toThrow('the machine broke');
    expect(sink.done).not.toContain('commit');
    expect(sink.done.at(-1)).toBe('abort');
  });

  it('made when it is needed gives the same, is made once, and fails with the maker', async () => {
    let times = 0;
    const make = async () => {
      times++;
      await turn();
      return repeater();
    };
    expect(await arrayOf(Readable.from([1, 2]).pipe(duplexOnce(make)))).toEqual(['1:0', '2:0', '2:1', 'end']);
    expect(times).toBe(1);
    expect(await arrayOf(Readable.from([]).pipe(duplexOnce(make)))).toEqual(['end']);
    const failing = duplexOnce<number, string>(() => Promise.reject(new Error('no vocabulary')));
    await expect(pipeline([1], failing, writable(noted().sink))).rejects.toThrow('no vocabulary');
  });

  it('made when it is needed takes only what fits', async () => {
    const made = { count: 0 };
    const stream = duplexOnce(async () => repeater(made));
    stream.write(1_000_000);
    for (let n = 0; n < 20; n++) await turn();
    expect(made.count).toBeLessThan(100);
    stream.destroy();
  });

  it('is destroyed with the reason of the signal, and leaves no listener on it', async () => {
    const reason = new Error('enough');
    const abort = new AbortController();
    const stream = duplex(repeater(), abort.signal);
    const failed = new Promise((resolve) => stream.once('error', resolve));
    abort.abort(reason);
    expect(await failed).toBe(reason);
    expect(stream.destroyed).toBe(true);
    const late = duplex(repeater(), AbortSignal.abort(reason));
    expect(await new Promise((resolve) => late.once('error', resolve))).toBe(reason);
  });
});

describe('stage', () => {
  it('stands in a stream-chain chain between other functions', async () => {
    const stream = chain([(n: number) => n + 1, stage(repeater()), (text: string) => text.toUpperCase()] as never);
    expect(await arrayOf(Readable.from([0, 1]).pipe(stream as never))).toEqual(['1:0', '2:0', '2:1', 'END']);
  });
});

describe('writable', () => {
  it('writes every chunk, commits at the end and tells the files', async () => {
    const { sink, done } = noted();
    let told: readonly WrittenFile[] = [];
    await pipeline(
      ['a', 'b'],
      writable(sink, (files) => {
        told = files;
      }),
    );
    expect(done).toEqual(['a', 'b', 'commit']);
    expect(told).toHaveLength(1);
  });

  it('waits for a write that takes time before the next', async () => {
    let under = 0;
    let most = 0;
    const slow = noted({
      async write() {
        most = Math.max(most, ++under);
        await turn();
        under--;
      },
    });
    await pipeline(Readable.from(Array.from({ length: 50 }, String)), writable(slow.sink));
    expect(most).toBe(1);
    expect(slow.done).toHaveLength(51);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('full'))],
  ] as const)('aborts the sink when a write %s', async (_, write) => {
    const { sink, done } = noted({ write });
    await expect(pipeline(['a', 'b'], writable(sink))).rejects.toThrow('full');
    expect(done).toEqual(['a', 'abort']);
  });

  it('aborts the sink when its commit fails', async () => {
    const { sink, done } = noted({
      commit() {
        throw new Error('no name');
      },
    });
    await expect(pipeline(['a'], writable(sink))).rejects.toThrow('no name');
    expect(done).toEqual(['a', 'commit', 'abort']);
  });

  it('aborts the sink when the stream before it fails, with the error of that', async () => {
    const { sink, done } = noted();
    async function* failing(): AsyncGenerator<string> {
      yield 'a';
      throw new Error('the source broke');
    }
    await expect(pipeline(failing(), writable(sink))).rejects.toThrow('the source broke');
    expect(done).toEqual(['a', 'abort']);
  });

  it('does not abort what is committed', async () => {
    const { sink, done } = noted();
    const stream = writable(sink);
    await pipeline(['a'], stream);
    stream.destroy();
    await turn();
    expect(done).toEqual(['a', 'commit']);
    expect(stream).toBeInstanceOf(Writable);
  });
});
