/**
 * The only file that knows streams. It turns a Machine into a stage of stream-chain and a Node Duplex in object mode, one
 * output at a time, so that backpressure holds within one input too; errors and abort signals travel as `stream.pipeline`
 * expects.
 */
import { type Duplex, finished, Writable } from 'node:stream';
import chain from 'stream-chain';
import { flushable, type none } from 'stream-chain/defs.js';
import type { Machine, Sink, WrittenFile } from './types.js';

export type { Duplex, Writable } from 'node:stream';

/** A function for a stream-chain chain. */
export type Stage<I> = (input: I) => Iterator<unknown>;

/** The machine as a stage; it is made at once and serves one stream. */
export function stage<I, O>(machine: Machine<I, O>): Stage<I> {
  // Iterators, not arrays: stream-chain pulls an iterator as fast as the reader takes, and passes an array on as one value.
  return flushable(
    (input: I) => machine.push(input)[Symbol.iterator](),
    () => machine.end()[Symbol.iterator](),
  ) as Stage<I>;
}

/** The machine as a Duplex, for `stream.pipeline`. */
export function duplex<I, O>(machine: Machine<I, O>, signal?: AbortSignal): Duplex {
  return stoppable(chain([stage(machine)] as never) as unknown as Duplex, signal);
}

/** The same for a machine that takes time to make, as when a vocabulary must be loaded; it is made when the first input comes. */
export function duplexOnce<I, O>(make: () => Promise<Machine<I, O>>, signal?: AbortSignal): Duplex {
  let making: Promise<Stage<I | typeof none>> | undefined;
  const step = async (input: I | typeof none) => {
    making ??= make().then((machine) => stage(machine) as Stage<I | typeof none>);
    return (await making)(input);
  };
  return stoppable(chain([flushable(step)] as never) as unknown as Duplex, signal);
}

function stoppable(stream: Duplex, signal: AbortSignal | undefined): Duplex {
  if (signal !== undefined) {
    const stop = () => stream.destroy(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    stream.once('close', () => signal.removeEventListener('abort', stop));
  }
  return stream;
}

/** A sink as a Writable in object mode: commits when the stream ends, aborts when it is destroyed before. */
export function writable<C>(sink: SinkOf<C>, onCommit?: (files: readonly WrittenFile[]) => void): Writable {
  let committed = false;
  return new Writable({
    objectMode: true,
    write(chunk: C, _, done) {
      settle(() => sink.write(chunk), done);
    },
    final(done) {
      settle(async () => {
        const files = await sink.commit();
        committed = true;
        onCommit?.(files);
      }, done);
    },
    destroy(error, done) {
      if (committed) done(error);
      else
        sink.abort().then(
          () => done(error),
          (failure: Error) => done(error ?? failure),
        );
    },
  });
}

/** A sink that writes to a stream: ends it when it commits, and is done once the stream is; destroys it when it aborts. */
export function endingIn(stream: Writable, sink: Sink): Sink {
  return {
    ...sink,
    async commit() {
      const files = await sink.commit();
      await new Promise<void>((resolve, reject) => {
        finished(stream, (error) => (error ? reject(error) : resolve()));
        stream.end();
      });
      return files;
    },
    async abort() {
      await sink.abort();
      stream.destroy();
    },
  };
}

type SinkOf<C> = Omit<Sink, 'write'> & { write(chunk: C): void | Promise<void> };

/** Runs what may or may not be asynchronous, and calls back once. */
function settle(work: () => void | Promise<void>, done: (error?: Error | null) => void): void {
  let wait: void | Promise<void>;
  try {
    wait = work();
  } catch (error) {
    done(error as Error);
    return;
  }
  if (wait === undefined) done();
  else wait.then(() => done(), done);
}
