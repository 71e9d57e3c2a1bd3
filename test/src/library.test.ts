/**
 * The library's calls: chunks of anything iterable, streams in a pipeline. They give what `run` writes, and read no further
 * than the consumer asks.
 */
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import chain from 'stream-chain';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChunkOptions } from '../../src/chunk-options.js';
import { IngestError } from '../../src/errors.js';
import {
  chunkStream,
  chunks,
  csv,
  type Input,
  json,
  jsonl,
  jsonlRecords,
  normaliseStream,
  run,
  textStream,
  tsv,
  verify,
  xml,
} from '../../src/library.js';
import type { Chunk, Strategy, TokenCounter, WrittenFile } from '../../src/types.js';
import { type Rng, seeded, troubleBytes, troubleText } from '../support/random.js';

const OPTIONS: ChunkOptions = { unit: 'characters', size: 60, overlap: 10 };
const PROSE = Array.from({ length: 50 }, (_, n) => `Sentence ${n} says nothing new. 水 😀`).join('\n\n');

async function all(input: AsyncIterable<Input> | Iterable<Input> | Input, options: ChunkOptions = OPTIONS): Promise<Chunk[]> {
  return arrayOf(chunks(input, options));
}

/** Strings cut anywhere, also inside a surrogate pair. */
function pieces(rng: Rng, text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const to = at + rng.between(0, 9);
    parts.push(text.slice(at, to));
    at = to;
  }
  return parts;
}

/** `Array.fromAsync`, which Node 20 lacks. */
async function arrayOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const collected = (into: Chunk[]): Writable =>
  new Writable({
    objectMode: true,
    write(chunk: Chunk, _, done) {
      into.push(chunk);
      done();
    },
  });

describe('chunks', () => {
  it('takes a string, bytes, an array, an iterator or a stream of either, and gives the same', async () => {
    const bytes = new TextEncoder().encode(PROSE);
    const expected = await all(PROSE);
    expect(expected.length).toBeGreaterThan(20);
    const inputs: Iterable<Input | AsyncIterable<Input> | Iterable<Input>> = [
      bytes,
      Buffer.from(bytes),
      [PROSE],
      [bytes.subarray(0, 7), bytes.subarray(7)],
      new Set([PROSE.slice(0, 100), PROSE.slice(100)]),
      Readable.from([bytes]),
      (async function* () {
        yield PROSE.slice(0, 31);
        yield new TextEncoder().encode(PROSE.slice(31));
      })(),
    ];
    for (const input of inputs) expect(await all(input)).toEqual(expected);
  });

  it('takes strings cut inside of surrogate pairs', async () => {
    await seeded(50, async (rng: Rng) => {
      const text = troubleText(rng, rng.between(0, 800), { loneSurrogates: false });
      expect(await all(pieces(rng, text))).toEqual(await all(text));
    });
    expect((await all([...'\ud83d\ude00'.split('')]))[0]!.text).toBe('😀');
    expect((await all(['a\ud83d', '', '', '\ude00b']))[0]!.text).toBe('a😀b');
  });

  it('writes half a surrogate pair as U+FFFD, and in its place also before bytes', async () => {
    const b = new TextEncoder().encode('b');
    for (const input of ['a\ud83db', ['a\ud83d', 'b'], ['a\ud83d', b], ['a', '\ud83d', new Uint8Array(0), b]])
      expect((await all(input)).map(({ text }) => text)).toEqual(['a\ufffdb']);
    expect((await all(['a\ud83d']))[0]!.text).toBe('a\ufffd');
    expect((await all('\ude00'))[0]!.text).toBe('\ufffd');
  });

  it('gives ranges of the UTF-8 bytes of strings', async () => {
    const bytes = new TextEncoder().encode(PROSE);
    const options: ChunkOptions = { ...OPTIONS, whitespace: 'keep' };
    for (const { start, end, text } of await all([PROSE], options))
      expect(new TextDecoder().decode(bytes.subarray(start, end))).toBe(text);
  });

  it('gives the same for bytes cut anywhere, in buffers that are overwritten once they were read', async () => {
    await seeded(30, async (rng: Rng) => {
      const bytes = troubleBytes(rng, rng.between(0, 3000));
      const reused = new Uint8Array(64);
      async function* read(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < bytes.length; ) {
          const part = bytes.subarray(at, at + rng.between(1, 64));
          reused.set(part);
          yield reused.subarray(0, part.length);
          reused.fill(0xa5);
          at += part.length;
        }
      }
      expect(await all(read())).toEqual(await all(bytes));
    });
  });

  it('of nothing are none', async () => {
    for (const input of ['', [], [''], new Uint8Array(0), [new Uint8Array(0)], ' \n', '\ufeff'])
      expect(await all(input)).toEqual([]);
  });

  it('reads no further than the consumer asks, and lets the source go when the consumer stops', async () => {
    let asked = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) {
          asked++;
          yield 'Nothing is lost, nothing is added. '.repeat(100);
        }
      } finally {
        closed = true;
      }
    }
    const seen: number[] = [];
    for await (const { index } of chunks(endless(), OPTIONS)) {
      seen.push(index);
      if (seen.length === 1) expect(asked).toBeLessThan(40);
      if (seen.length === 500) break;
    }
    expect(asked).toBeLessThan(80);
    expect(closed).toBe(true);
    expect(seen).toEqual(seen.map((_, n) => n));
  });

  it('of one huge buffer come one by one, not all at once', async () => {
    const huge = new Uint8Array(50_000_000).fill(0x61);
    huge.set(new TextEncoder().encode('The beginning. '));
    let count = 0;
    for await (const chunk of chunks(huge, { ...OPTIONS, whitespace: 'keep', tokenizer: 'none' })) {
      expect(chunk.start).toBeLessThan(20_000);
      if (++count === 100) break;
    }
  });

  it('are made by a counter and a strategy that are passed as values', async () => {
    const lengths: TokenCounter = { name: 'lengths', count: (text) => text.length };
    const commas: Strategy = {
      name: 'commas',
      packing: 'fill',
      levels: [
        {
          name: 'comma',
          last(view, from, to) {
            const at = view.lastIndexOf(',', to - 1) + 1;
            return at > from && at > 0 ? { end: at, next: at } : undefined;
          },
        },
      ],
    };
    const made = await all('aa,bbbb,cc,dddddd,e', { tokenizer: lengths, strategy: commas, size: 8, overlap: 0, minSize: 0 });
    expect(made.map(({ text, tokens }) => [text, tokens])).toEqual([
      ['aa,bbbb,', 8],
      ['cc,', 3],
      ['dddddd,e', 8],
    ]);
  });

  it('carry no tokens when the tokenizer is none', async () => {
    for (const chunk of await all(PROSE, { ...OPTIONS, tokenizer: 'none' })) expect(chunk).not.toHaveProperty('tokens');
  });

  it('carry the name that sourceName gives', async () => {
    const [plain] = await all('text');
    const [named] = await all('text', { ...OPTIONS, sourceName: 'a.txt' });
    expect([plain!.source, named!.source]).toEqual(['-', 'a.txt']);
    expect(plain!.id).not.toBe(named!.id);
  });

  it('pass on what the source throws', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield PROSE;
      throw new RangeError('the source broke');
    }
    await expect(all(broken())).rejects.toThrow('the source broke');
  });

  it('stop at bytes that are no text when that is asked for', async () => {
    const bytes = new Uint8Array([0x61, 0x62, 0xff, 0x63]);
    expect((await all(bytes))[0]!.text).toBe('ab\ufffdc');
    await expect(all(bytes, { ...OPTIONS, strictEncoding: true })).rejects.toMatchObject({ kind: 'record', at: 2 });
  });
});

describe('options that are wrong', () => {
  const wrong = { size: 0, overlap: -1, unit: 'pages', sise: 4 } as unknown as ChunkOptions;
  const told = (error: unknown): void => {
    expect(error).toBeInstanceOf(IngestError);
    const { kind, message } = error as IngestError;
    expect(kind).toBe('config');
    for (const word of ['size', 'overlap', 'unit', 'sise']) expect(message).toContain(word);
  };

  it('make chunks fail at its first step', async () => {
    told(
      await chunks('text', wrong)
        .next()
        .catch((error: unknown) => error),
    );
  });

  it('make chunkStream and textStream throw at once', () => {
    for (const make of [() => chunkStream(wrong), () => textStream(wrong)]) {
      let thrown: unknown;
      try {
        make();
      } catch (error) {
        thrown = error;
      }
      told(thrown);
    }
  });

  it('include an unknown tokenizer or strategy', () => {
    expect(() => chunkStream({ tokenizer: 'gpt-17' })).toThrow('gpt-17');
    expect(() => chunkStream({ strategy: 'recursiv' })).toThrow('recursive');
  });
});

describe('chunkStream', () => {
  it('gives in a pipeline what chunks gives', async () => {
    const got: Chunk[] = [];
    await pipeline(Readable.from([Buffer.from(PROSE)]), chunkStream(OPTIONS), collected(got));
    expect(got).toEqual(await all(PROSE));
  });

  it('takes strings, also when they are cut inside of surrogate pairs', async () => {
    const got: Chunk[] = [];
    await pipeline(Readable.from(PROSE.split('')), chunkStream(OPTIONS), collected(got));
    expect(got).toEqual(await all(PROSE));
  });

  it('can be read by an iterator', async () => {
    const stream = chunkStream(OPTIONS);
    stream.end(PROSE);
    expect(await arrayOf(stream)).toEqual(await all(PROSE));
  });

  it('gives the same behind textStream and normaliseStream, with any white space', async () => {
    await seeded(20, async (rng: Rng) => {
      const bytes = troubleBytes(rng, rng.between(0, 3000));
      const whitespace = rng.pick(['tidy', 'collapse', 'keep'] as const);
      const got: Chunk[] = [];
      await pipeline(
        Readable.from([bytes.subarray(0, 100), bytes.subarray(100)]),
        textStream({ sourceName: 'a.txt' }),
        normaliseStream(whitespace),
        chunkStream({ ...OPTIONS, whitespace: 'keep' }),
        collected(got),
      );
      expect(got).toEqual(await all(bytes, { ...OPTIONS, whitespace, sourceName: 'a.txt' }));
    });
  });

  it('ends without chunks when nothing comes', async () => {
    for (const input of [[], [Buffer.alloc(0)], [' \n']]) {
      const got: Chunk[] = [];
      await pipeline(Readable.from(input), chunkStream(OPTIONS), collected(got));
      expect(got).toEqual([]);
    }
  });

  it('reads on only as its reader takes: what is under way stays bounded', async () => {
    let [read, taken, most] = [0, 0, 0];
    async function* source(): AsyncGenerator<Buffer> {
      for (let n = 0; n < 3000; n++) {
        read += 1000;
        yield Buffer.from('Nothing is lost; nothing is added.'.padEnd(100).repeat(10));
      }
    }
    const slow = new Writable({
      objectMode: true,
      highWaterMark: 1,
      write(chunk: Chunk, _, done) {
        taken = chunk.end;
        most = Math.max(most, read - taken);
        setImmediate(done);
      },
    });
    await pipeline(source(), chunkStream({ ...OPTIONS, size: 1000, overlap: 0 }), slow);
    expect(taken).toBeGreaterThan(2_990_000);
    // The cutter's window, the items that the streams hold, and no more: a small part of the three million bytes.
    expect(most).toBeLessThan(300_000);
  });

  it('makes chunks of one huge buffer only as its reader takes them', async () => {
    let made = 0;
    const counter: TokenCounter = {
      name: 'lengths',
      count(text) {
        made++;
        return text.length;
      },
    };
    const stream = chunkStream({ tokenizer: counter, size: 100, overlap: 0, whitespace: 'keep' });
    stream.write(new Uint8Array(50_000_000).fill(0x61));
    const reader = stream[Symbol.asyncIterator]();
    for (let n = 0; n < 10; n++) expect((await reader.next()).done).toBe(false);
    for (let n = 0; n < 10; n++) await turn();
    const counted = made;
    for (let n = 0; n < 10; n++) await turn();
    expect(made).toBe(counted);
    expect(made).toBeLessThan(5000);
    await reader.return?.();
  });

  it('passes on what fails before, in and behind it, and destroys all', async () => {
    const broken = (message: string) =>
      new Writable({
        objectMode: true,
        write(_chunk, _, done) {
          done(new Error(message));
        },
      });
    async function* failing(): AsyncGenerator<string> {
      yield PROSE;
      throw new Error('the source broke');
    }
    const counter: TokenCounter = {
      name: 'broken',
      count() {
        throw new Error('the counter broke');
      },
    };
    const last = collected([]);
    await expect(pipeline(failing(), chunkStream(OPTIONS), last)).rejects.toThrow('the source broke');
    expect(last.destroyed).toBe(true);
    const inside = collected([]);
    await expect(pipeline([PROSE], chunkStream({ tokenizer: counter }), inside)).rejects.toThrow('the counter broke');
    expect(inside.destroyed).toBe(true);
    const stream = chunkStream(OPTIONS);
    await expect(pipeline([PROSE.repeat(30)], stream, broken('the sink broke'))).rejects.toThrow('the sink broke');
    expect(stream.destroyed).toBe(true);
  });

  it('is stopped by its signal, in the middle and before it begins', async () => {
    const reason = new Error('enough');
    const abort = new AbortController();
    async function* endless(): AsyncGenerator<string> {
      for (;;) yield PROSE;
    }
    const stopping = new Writable({
      objectMode: true,
      write(_chunk, _, done) {
        abort.abort(reason);
        done();
      },
    });
    await expect(pipeline(endless(), chunkStream(OPTIONS, abort.signal), stopping)).rejects.toBe(reason);
    expect(stopping.destroyed).toBe(true);
    await expect(pipeline([PROSE], chunkStream(OPTIONS, abort.signal), collected([]))).rejects.toBe(reason);
  });
});

/** The same two records in each format. */
const RECORDS = {
  csv: { stream: csv, text: 'id,body\n1,"one ""1""\r\n"\n2,two\n', records: undefined },
  tsv: { stream: tsv, text: 'id\tbody\n1\t"one ""1""\r\n"\n2\ttwo\n', records: undefined },
  json: { stream: json, text: '{"all":[{"id":"1","body":"one \\"1\\"\\r\\n"},{"id":"2","body":"two"}]}', records: 'all[*]' },
  jsonl: { stream: jsonlRecords, text: '{"id":"1","body":"one \\"1\\"\\r\\n"}\n{"id":"2","body":"two"}\n', records: undefined },
  xml: {
    stream: xml,
    text: '<all><r><id>1</id><body>one &quot;1&quot;\r\n</body></r><r><id>2</id><body>two</body></r></all>',
    records: '/all/r',
  },
} as const;

describe.each(Object.entries(RECORDS))('the splitter of %s', (format, { stream, text, records }) => {
  const where = records === undefined ? {} : { records };
  const fields = { text: ['body'], idField: 'id', ...where };

  it('gives in a pipeline what chunks and run give', async () => {
    const dir = folder();
    const input = join(dir, `a.${format}`);
    writeFileSync(input, text);
    await run({ input, out: join(dir, 'out.jsonl'), ...OPTIONS, ...fields });
    const expected = readFileSync(join(dir, 'out.jsonl'), 'utf8');
    expect(expected.match(/"text":.*/g)).toEqual(['"text":"one \\"1\\"\\n"}', '"text":"two"}']);
    const options = { sourceName: input, ...fields };
    for (const parts of [[text], text.split('')]) {
      await pipeline(Readable.from(parts), stream(options), chunkStream(OPTIONS), jsonl(join(dir, 'stream.jsonl')));
      expect(readFileSync(join(dir, 'stream.jsonl'), 'utf8')).toBe(expected);
    }
    await pipeline(await all(text, { ...OPTIONS, ...options }), jsonl(join(dir, 'chunks.jsonl')));
    expect(readFileSync(join(dir, 'chunks.jsonl'), 'utf8')).toBe(expected);
  });

  it('tells a chunker behind it what it gives, whatever the source is called', async () => {
    const got: Chunk[] = [];
    await pipeline([text], stream({ pack: true, ...where }), chunkStream(OPTIONS), collected(got));
    expect(got).toEqual(await all(text, { ...OPTIONS, format: format as 'csv', pack: true, ...where }));
    expect(got[0]!.record).toMatchObject({ index: 0 });
  });

  it('is a stage of a chain', async () => {
    const texts: string[] = [];
    const whole = chain([stream(fields), chunkStream(OPTIONS), (chunk: Chunk) => chunk.text]);
    whole.on('data', (each: string) => texts.push(each));
    whole.end(text);
    await finished(whole);
    expect(texts).toEqual(['one "1"\n', 'two']);
  });

  it('throws at once at options that are wrong or have no meaning', () => {
    expect(() => stream({ text: [''], pack: true })).toThrow(/text means nothing with pack.*\n.*text names nothing/s);
    expect(() => stream({ separators: ['x'], noSuch: 1 } as object)).toThrow('noSuch');
  });
});

describe('a faulty record', () => {
  const lines = '{"a":"one"}\n{"a":"two}\n{"a":"three"}\n';
  const options: ChunkOptions = { ...OPTIONS, format: 'jsonl', text: 'a' };

  it('ends chunks and streams with an error that says where', async () => {
    await expect(all(lines, options)).rejects.toMatchObject({ kind: 'record', record: 1, range: [12, 23] });
    const behind = collected([]);
    await expect(pipeline([lines], jsonlRecords({ text: 'a' }), behind)).rejects.toMatchObject({ kind: 'record', record: 1 });
    expect(behind.destroyed).toBe(true);
  });

  it('is left out and told where somebody wants to know', async () => {
    const told: Error[] = [];
    const onReject = (error: Error) => told.push(error);
    const got: Chunk[] = [];
    await pipeline([lines], jsonlRecords({ text: 'a', onReject }), chunkStream(OPTIONS), collected(got));
    const found = [got, await all(lines, { ...options, onReject }), await all(lines, { ...options, onError: 'skip' })];
    for (const each of found) expect(each.map(({ text }) => text)).toEqual(['one', 'three']);
    expect(told).toHaveLength(2);
    expect(told[0]).toMatchObject({ kind: 'record', record: 1, range: [12, 23] });
  });

  it('unwinds all when whoever is told throws', async () => {
    const onReject = () => {
      throw new RangeError('too many');
    };
    await expect(all(lines, { ...options, onReject })).rejects.toThrow('too many');
  });
});

describe('options about records', () => {
  it('need a source whose name or format says that it holds some', async () => {
    await expect(all('a', { text: 'a' })).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining('text means nothing'),
    });
    expect(() => chunkStream({ text: 'a' })).toThrow('text means nothing to the format text');
    expect((await all('a\n1\n', { ...OPTIONS, sourceName: 'x.csv', text: 'a' })).map(({ text }) => text)).toEqual(['1']);
  });
});

describe('jsonl to a stream', () => {
  it('gives the same bytes as to a file, and ends the stream', async () => {
    const dir = folder();
    const [file, stream] = [join(dir, 'file.jsonl'), join(dir, 'stream.jsonl')];
    await pipeline([PROSE], chunkStream(OPTIONS), jsonl(file));
    await pipeline([PROSE], chunkStream(OPTIONS), jsonl(createWriteStream(stream)));
    expect(readFileSync(stream, 'utf8')).toBe(readFileSync(file, 'utf8'));
  });

  it('waits for a slow stream', async () => {
    const slow = new Writable({ highWaterMark: 1, write: (_data, _encoding, done) => setImmediate(done) });
    let bytes = 0;
    slow.on('drain', () => bytes++);
    await pipeline([PROSE.repeat(200)], chunkStream(OPTIONS), jsonl(slow));
    expect(slow.writableFinished).toBe(true);
    expect(bytes).toBeGreaterThan(0);
  });

  it('fails with the stream, and destroys it when the source fails', async () => {
    const broken = new Writable({ write: (_data, _encoding, done) => done(new Error('the reader broke')) });
    await expect(pipeline([PROSE], chunkStream(OPTIONS), jsonl(broken))).rejects.toThrow();
    const target = new Writable({ write: (_data, _encoding, done) => done() });
    const source = (async function* () {
      yield PROSE;
      throw new Error('the source broke');
    })();
    await expect(pipeline(source, chunkStream(OPTIONS), jsonl(target))).rejects.toThrow('the source broke');
    expect(target.destroyed).toBe(true);
  });
});

describe('jsonl', () => {
  it('at the end of a pipeline writes the lines that run writes, and tells the file', async () => {
    const dir = folder();
    const input = join(dir, 'a.txt');
    writeFileSync(input, PROSE);
    const out = { run: join(dir, 'run.jsonl'), stream: join(dir, 'stream.jsonl') };
    const summary = await run({ input, out: out.run, ...OPTIONS });
    let told: readonly WrittenFile[] = [];
    const sink = jsonl(out.stream, (files) => {
      told = files;
    });
    await pipeline(Readable.from([PROSE]), textStream({ sourceName: input }), normaliseStream(), chunkStream(OPTIONS), sink);
    expect(readFileSync(out.stream, 'utf8')).toBe(readFileSync(out.run, 'utf8'));
    expect(told).toEqual(summary.files.map((file) => ({ ...file, path: out.stream })));
    expect((await verify({ path: out.run })).fault).toBeUndefined();
  });

  it('leaves no file when anything before it fails or is stopped', async () => {
    const dir = folder();
    async function* failing(): AsyncGenerator<string> {
      yield PROSE.repeat(500);
      throw new Error('the source broke');
    }
    await expect(pipeline(failing(), chunkStream(OPTIONS), jsonl(join(dir, 'out.jsonl')))).rejects.toThrow('the source broke');
    expect(readdirSync(dir)).toEqual([]);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(pipeline([PROSE], chunkStream(OPTIONS, signal), jsonl(join(dir, 'out.jsonl')))).rejects.toThrow('enough');
    expect(readdirSync(dir)).toEqual([]);
  });

  it('fails as a sink when its directory is not there', async () => {
    const path = join(folder(), 'no', 'out.jsonl');
    await expect(pipeline([PROSE], chunkStream(OPTIONS), jsonl(path))).rejects.toMatchObject({ kind: 'sink' });
  });
});
