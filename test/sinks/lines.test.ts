import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { sinks } from '../../sinks/index.js';
import { linesSink } from '../../sinks/lines.js';
import { placeOf } from '../../sinks/place.js';
import { IngestError } from '../../src/errors.js';
import type { Chunk, Json } from '../../src/types.js';
import type { Output, World } from '../../src/world.js';
import { conformSink, sampleChunks } from '../conformance/sink.js';
import { seeded, troubleText } from '../support/random.js';
import { memoryWorld } from '../support/world.js';

const endsOf = (world: World) => ({ place: placeOf(world), stdout: world.stdout });

for (const spec of sinks.filter(({ store }) => store === undefined))
  conformSink(spec.name, (path, world) => spec.create({ path, options: {}, ...endsOf(world) }));

const chunk = (parts: Partial<Chunk> = {}): Chunk => ({
  id: 'i',
  source: 's',
  index: 0,
  start: 0,
  end: 1,
  metadata: {},
  text: 't',
  ...parts,
});

async function linesOf(...chunks: Chunk[]): Promise<string> {
  const world = memoryWorld();
  const sink = linesSink({ path: 'out', ...endsOf(world) });
  for (const each of chunks) await sink.write(each);
  await sink.commit();
  return world.files().out!;
}

describe('a line', () => {
  it('has its keys in a fixed order, whatever the order of the chunk', async () => {
    const record = { count: 2, key: 'k', field: 'f', line: 3, path: 'p', end: 9, start: 1, index: 0 };
    const whole = chunk({ text: 'x', record, tokens: 1, context: 'c', metadata: { b: 1, a: 2 } });
    const reversed = Object.fromEntries(Object.entries(whole).reverse()) as unknown as Chunk;
    expect(await linesOf(reversed)).toBe(
      '{"id":"i","source":"s","index":0,"start":0,"end":1,"tokens":1,"context":"c",' +
        '"record":{"index":0,"start":1,"end":9,"path":"p","line":3,"field":"f","key":"k","count":2},"metadata":{"b":1,"a":2},"text":"x"}\n',
    );
  });

  it('of a record that is too long to be held has no end of it', async () => {
    expect(await linesOf(chunk({ record: { index: 1, start: 5 } }))).toContain('"record":{"index":1,"start":5},"metadata"');
  });

  it('leaves out what is absent or undefined, and what is no key of a chunk', async () => {
    const odd = { ...chunk(), tokens: undefined, context: undefined, extra: 1 } as unknown as Chunk;
    expect(await linesOf(odd)).toBe('{"id":"i","source":"s","index":0,"start":0,"end":1,"metadata":{},"text":"t"}\n');
  });

  it('holds no lone surrogate, in text, metadata or its keys, and leaves alike text alone', async () => {
    const metadata: Record<string, Json> = { 'k\ud800': ['\udfff', { deep: 'a\ud83d' }], plain: '\\ud83d \\\\ud83d 😀 \u001f' };
    const line = await linesOf(chunk({ source: '\udc00', metadata, text: '\ud83dx\ude00 \\ud83d 😀' }));
    expect(JSON.parse(line)).toMatchObject({
      source: '\ufffd',
      metadata: { 'k\ufffd': ['\ufffd', { deep: 'a\ufffd' }], plain: '\\ud83d \\\\ud83d 😀 \u001f' },
      text: '\ufffdx\ufffd \\ud83d 😀',
    });
    expect(line).not.toMatch(/(?<!\\)(\\\\)*\\ud[89a-f]/);
  });

  it('of any text is what JSON.stringify would write of it', async () => {
    await seeded(30, async (rng) => {
      const { text } = { text: troubleText(rng, rng.between(0, 3000), { loneSurrogates: false }) };
      expect(await linesOf(chunk({ text }))).toBe(`${JSON.stringify(chunk({ text }))}\n`);
    });
  });

  it('may be longer than a batch, between shorter ones', async () => {
    const texts = ['a', '\u0001'.repeat(400_000), 'b', '漢'.repeat(300_000), 'c'];
    const lines = (await linesOf(...texts.map((text) => chunk({ text })))).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Chunk).text)).toEqual(texts);
  });

  it('with a key named __proto__ keeps it', async () => {
    const metadata = JSON.parse('{"__proto__":"x\\ud800"}') as Record<string, Json>;
    expect(await linesOf(chunk({ metadata }))).toContain('"metadata":{"__proto__":"x\ufffd"}');
  });
});

/** A stdout that is full after every write until the test says otherwise. */
class SlowOutput extends EventEmitter implements Output {
  readonly taken: Uint8Array[] = [];
  write(data: Uint8Array): boolean {
    this.taken.push(data);
    return false;
  }
  text(): string {
    return Buffer.concat(this.taken).toString();
  }
}

const worldWith = (stdout: Output): World => ({ ...memoryWorld(), stdout });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const big = (text: string) => chunk({ text: text.repeat(150_000) });

describe('stdout', () => {
  it.each([undefined, '-', '/dev/stdout'])('is where chunks go when the path is %s; no file is named', async (path) => {
    const world = memoryWorld();
    const sink = linesSink({ ...endsOf(world), ...(path === undefined ? {} : { path }) });
    await sink.open();
    for (const each of sampleChunks(5)) await sink.write(each);
    expect(await sink.commit()).toEqual([]);
    expect(world.files()).toEqual({});
    expect(world.printed().split('\n')).toHaveLength(6);
  });

  it('that is slow makes the writer wait, and gets all bytes unspoilt', async () => {
    const output = new SlowOutput();
    const sink = linesSink(endsOf(worldWith(output)));
    for (const letter of ['a', 'b', 'c']) expect(sink.write(big(letter))).toBeUndefined();
    await turn();
    let waiting = true;
    const fourth = Promise.resolve(sink.write(big('d'))).then(() => {
      waiting = false;
    });
    await turn();
    expect(waiting).toBe(true);
    expect(output.taken).toHaveLength(1);
    output.emit('drain');
    await fourth;
    const committed = sink.commit();
    for (let left = 3; left > 0; left--) {
      await turn();
      output.emit('drain');
    }
    await committed;
    expect(output.text()).toBe(['a', 'b', 'c', 'd'].map((letter) => `${JSON.stringify(big(letter))}\n`).join(''));
    expect(output.eventNames()).toEqual([]);
  });

  it.each([
    ['an error EPIPE', (output: EventEmitter) => output.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }))],
    ['a close', (output: EventEmitter) => output.emit('close')],
  ])('that its reader left (%s) ends the writer with closed-pipe', async (_, happen) => {
    const output = new SlowOutput();
    const sink = linesSink(endsOf(worldWith(output)));
    await sink.open();
    for (const letter of ['a', 'b', 'c']) await sink.write(big(letter));
    const fourth = Promise.resolve(sink.write(big('d')));
    await turn();
    happen(output);
    await expect(fourth).rejects.toMatchObject({ kind: 'sink', reason: 'closed-pipe' });
    expect(() => sink.write(chunk())).toThrow(IngestError);
    await expect(sink.commit()).rejects.toMatchObject({ reason: 'closed-pipe' });
    await sink.abort();
  });

  it('that fails only after the last write makes the commit fail', async () => {
    class FullOutput extends SlowOutput {
      override write(): boolean {
        queueMicrotask(() => this.emit('error', Object.assign(new Error('full'), { code: 'ENOSPC' })));
        return true;
      }
    }
    const sink = linesSink(endsOf(worldWith(new FullOutput())));
    sink.write(chunk());
    await expect(sink.commit()).rejects.toMatchObject({
      kind: 'sink',
      reason: 'no-space',
      message: expect.stringContaining('stdout'),
    });
  });
});
