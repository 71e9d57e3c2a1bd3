/**
 * Judges a file of chunks against its source, with nothing of millrace in it: node judge.mjs SOURCE CHUNKS LIMIT UNIT OFFSETS.
 *
 * White space and invisible marks may change, all else may not: both sides are compared without them. Each chunk is looked for in the
 * source from the place of the one before; source text between two finds is lost. A chunk that is not found as it is counts as altered,
 * and its parts are looked for, so that only what is missing is lost (about: a passage that stands twice nearby may be taken for its
 * twin). Tokens are tiktoken's. An offset is wrong when another text stands at it, or when it goes back.
 */

import { closeSync, createReadStream, openSync, readFileSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { get_encoding } from 'tiktoken';

const NOTHING_SHOWN = /[\s\u0085\u200b\u2060\ufeff]+/g;
const BACK = 4096;
const NEAR = 2000;
const FAR = 1_000_000;
const SURE = 64; // shorter texts recur by chance, so they are not looked for far away
const LEAST = 4;

const shown = (text) => text.replace(NOTHING_SHOWN, '');

/** What the source shows, as a window that slides forward. */
class Source {
  #file;
  #decoder = new StringDecoder('utf8');
  #buffer = Buffer.alloc(1 << 20);
  #text = '';
  #base = 0;
  #done = false;

  constructor(path) {
    this.#file = openSync(path, 'r');
  }

  slice(start, end) {
    while (!this.#done && this.#base + this.#text.length < end) this.#read();
    return this.#text.slice(Math.max(0, start - this.#base), end - this.#base);
  }

  drop(before) {
    if (before - this.#base < 4 * FAR) return;
    this.#text = this.#text.slice(before - this.#base);
    this.#base = before;
  }

  #read() {
    const bytes = readSync(this.#file, this.#buffer);
    this.#text += shown(bytes > 0 ? this.#decoder.write(this.#buffer.subarray(0, bytes)) : this.#decoder.end());
    if (bytes > 0) return;
    this.#done = true;
    closeSync(this.#file);
  }
}

/** Follows the chunks through the source and adds up what none of them holds. */
class Follower {
  lost = 0;
  #source;
  #start = 0;
  #end = 0;
  #gaps = [];

  constructor(path) {
    this.#source = new Source(path);
  }

  /** @returns whether the text is in the source as it is. */
  follow(text) {
    if (text === '' || this.#place(text, text.length < SURE ? NEAR : FAR)) return true;
    this.#placeParts(text);
    return false;
  }

  finish() {
    for (let rest = ' '; rest !== ''; ) {
      rest = this.#source.slice(this.#end, this.#end + FAR);
      this.#cover(this.#end + rest.length, 0);
    }
    this.#forget(Number.POSITIVE_INFINITY);
  }

  #placeParts(text) {
    const half = text.length >> 1;
    const parts = text.includes('\ufffd') ? text.split(/\ufffd+/) : [text.slice(0, half), text.slice(half)];
    for (const part of parts) {
      if (part !== '' && !this.#place(part, NEAR) && part.length >= LEAST) this.#placeParts(part);
    }
  }

  /** Where it goes on or overlaps the end, else a little ahead, else among what is held already, else far ahead. */
  #place(text, reach) {
    const size = text.length;
    const back = Math.max(0, this.#start - BACK);
    const ranges = [
      [Math.max(back, this.#end - size), this.#end + size, 'lastIndexOf'],
      [this.#end, this.#end + NEAR + size, 'indexOf'],
      [back, this.#end, 'lastIndexOf'],
      [this.#end, this.#end + reach + size, 'indexOf'],
    ];
    for (const [from, to, search] of ranges) {
      const at = this.#source.slice(from, to)[search](text);
      if (at >= 0) return this.#cover(from + at, size);
    }
    return false;
  }

  #cover(start, length) {
    const end = start + length;
    this.#gaps = this.#gaps.flatMap(([from, to]) =>
      [
        [from, Math.min(to, start)],
        [Math.max(from, end), to],
      ].filter(([a, b]) => a < b),
    );
    if (start > this.#end) this.#gaps.push([this.#end, start]);
    this.#start = start;
    this.#end = Math.max(this.#end, end);
    this.#forget(start - BACK);
    return true;
  }

  /** Gaps before this place stay gaps, as nothing is looked for there any more. */
  #forget(before) {
    for (const [from, to] of this.#gaps) if (to <= before) this.lost += Buffer.byteLength(this.#source.slice(from, to));
    this.#gaps = this.#gaps.filter(([, to]) => to > before);
    this.#source.drop(Math.min(before, ...this.#gaps.map(([from]) => from)));
  }
}

/** Reads what stands at a chunk's offsets, which are bytes or UTF-16 units. */
function reader(path, kind) {
  if (kind === 'utf16') {
    const text = readFileSync(path, 'utf8');
    return (start, end) => text.slice(start, end);
  }
  const file = openSync(path, 'r');
  return (start, end) => {
    const bytes = Buffer.alloc(end - start);
    readSync(file, bytes, 0, bytes.length, start);
    return bytes.toString('utf8');
  };
}

function counter(unit) {
  if (unit === 'characters') return (text) => Array.from(text).length;
  const encoding = get_encoding('o200k_base');
  return (text) => encoding.encode_ordinary(text).length;
}

/** Lines end at LF only; node:readline would also end them at U+2028. */
async function* lines(path) {
  let rest = '';
  for await (const piece of createReadStream(path, 'utf8')) {
    const whole = (rest + piece).split('\n');
    rest = whole.pop();
    yield* whole;
  }
}

async function judge(source, chunksFile, limit, unit, offsets) {
  const follower = new Follower(source);
  const count = counter(unit);
  const at = reader(source, offsets);
  const found = { chunks: 0, over: 0, largest: 0, placed: 0, wrong: 0, altered: 0, replaced: 0, lone: 0 };
  let last = 0;
  for await (const line of lines(chunksFile)) {
    const { text, start, end } = JSON.parse(line);
    const size = count(text);
    const visible = shown(text);
    const intact = follower.follow(visible);
    found.chunks++;
    found.over += Number(size > limit);
    found.largest = Math.max(found.largest, size);
    found.altered += Number(!intact);
    found.replaced += Number(!intact && text.includes('\ufffd'));
    found.lone += Number(!text.isWellFormed());
    found.placed += Number(start !== undefined);
    if (start >= last && shown(at(start, end)) === visible) last = start;
    else found.wrong++;
  }
  follower.finish();
  return { ...found, lost: follower.lost };
}

const [source, chunksFile, limit, unit, offsets] = process.argv.slice(2);
console.log(JSON.stringify(await judge(source, chunksFile, Number(limit), unit, offsets)));
