/**
 * How well sentences are found: millrace's rules, with and without the language told, against sentence-splitter, Intl.Segmenter and the
 * rule of @mastra/rag, on the labelled set (`npm run build` first). Prints F1 overall, for each kind of text (`unseen`: what the rules
 * were not made with) and each language; and how quickly each reads a file, where one is named: node sentences.mjs [en.txt].
 *
 * A boundary is the place where the next sentence begins; the end of the text is none. All that a contender finds is moved over white
 * space before it is compared, so nobody is charged for the side on which that is left. F1 is over all boundaries of a group
 * (micro); a group in which nothing is to be found and nothing is found counts as 1.
 */

import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { split } from 'sentence-splitter';
import ts from 'typescript';
import { sentence } from '../../dist/transforms/boundaries/sentences.js';

const labelledFile = readFileSync(new URL('../support/labelled-sentences.ts', import.meta.url), 'utf8');
const { outputText } = ts.transpileModule(labelledFile, { compilerOptions: { module: 'esnext', target: 'es2022' } });
const { LABELLED } = await import(`data:text/javascript;base64,${Buffer.from(outputText).toString('base64')}`);

function byLevel(level, text) {
  const ends = [];
  for (let to = text.length; to > 0; ) {
    const cut = level.last(text, 0, to);
    if (cut === undefined) break;
    ends.push(cut.end);
    to = cut.end - 1;
  }
  return ends.reverse();
}

/**
 * The rule of @mastra/rag's `sentence`, as its behaviour is known: a mark of . ! ? at the end of the text, or before white space and a
 * capital of A–Z; unless the word before a full stop is a title, letters with stops, one capital, a number, or am / pm.
 */
function byMastra(text) {
  const ends = [];
  for (const { index } of text.matchAll(/[.!?](?=\s+[A-Z])/g)) {
    const word = /\S*$/.exec(text.slice(0, index))[0];
    const isKept =
      text[index] === '.' &&
      (/^(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr)$/.test(word) ||
        /^(?:[A-Za-z]\.)+[A-Za-z]$/.test(word) ||
        /^[A-Z]$/.test(word) ||
        /^\d+$/.test(word) ||
        /^[ap]m$/i.test(word));
    if (!isKept) ends.push(index + 1);
  }
  return ends;
}

const segmenters = new Map();
function byIntl(text, language = 'und') {
  if (!segmenters.has(language)) segmenters.set(language, new Intl.Segmenter(language, { granularity: 'sentence' }));
  return Array.from(segmenters.get(language).segment(text), ({ index }) => index).slice(1);
}

function bySplitter(text) {
  const nodes = split(text).filter(({ type }) => type === 'Sentence');
  return nodes.slice(1).map(({ range }) => range[0]);
}

const levels = new Map();
function byRules(text, language) {
  if (!levels.has(language)) levels.set(language, sentence({ language }));
  return byLevel(levels.get(language), text);
}

const CONTENDERS = {
  'millrace, language told': (text, language) => byRules(text, language),
  'millrace, not told': (text) => byRules(text, undefined),
  'Intl.Segmenter': byIntl,
  'sentence-splitter': bySplitter,
  "Mastra's rule": byMastra,
};

/** Past white space; the text's own end is no boundary. */
function starts(text, ends) {
  const found = new Set();
  for (let at of ends) {
    while (at < text.length && /\s/.test(text[at])) at++;
    if (at > 0 && at < text.length) found.add(at);
  }
  return found;
}

class Score {
  right = 0;
  found = 0;
  wanted = 0;
  add(found, wanted) {
    this.found += found.size;
    this.wanted += wanted.length;
    for (const at of wanted) if (found.has(at)) this.right++;
  }
  toString() {
    const all = this.found + this.wanted;
    return all === 0 ? '1.000' : ((2 * this.right) / all).toFixed(3);
  }
}

const groups = new Map();
for (const { language, kind, text, ends } of LABELLED) {
  const names = ['all', `all ${kind}`, language, ...(language === 'en' ? [`en ${kind}`] : [])];
  for (const [contender, find] of Object.entries(CONTENDERS)) {
    const found = starts(text, find(text, language));
    if (process.env.MISSES !== undefined && contender.startsWith(process.env.MISSES)) showMisses(language, text, found, ends);
    for (const name of names) {
      if (!groups.has(name)) groups.set(name, new Map(Object.keys(CONTENDERS).map((each) => [each, new Score()])));
      groups.get(name).get(contender).add(found, ends);
    }
  }
}

/** With MISSES=<contender>: each text it gets wrong, as it cut it. */
function showMisses(language, text, found, ends) {
  if (found.size === ends.length && ends.every((at) => found.has(at))) return;
  const cut = [...found].sort((a, b) => b - a).reduce((marked, at) => `${marked.slice(0, at)}‖${marked.slice(at)}`, text);
  console.error(`${language}: ${JSON.stringify(cut)}, wanted at ${ends.join(' ') || 'none'}`);
}

console.log(`\n${LABELLED.length} texts, ${LABELLED.reduce((sum, { ends }) => sum + ends.length, 0)} boundaries\n`);
console.log(`| F1 | ${Object.keys(CONTENDERS).join(' | ')} |\n|---|${'--:|'.repeat(Object.keys(CONTENDERS).length)}`);
for (const [name, scores] of groups) console.log(`| ${name} | ${[...scores.values()].join(' | ')} |`);

const [file] = process.argv.slice(2);
if (file !== undefined) {
  const text = readFileSync(file, 'utf8').slice(0, 1 << 23);
  console.log('\n| all ends of a file | units | M units/s |\n|---|--:|--:|');
  time('millrace', text, (part) => byLevel(levels.get(undefined), part));
  time('Intl.Segmenter, engine of millrace', text.slice(0, 1 << 21), (part) => byLevel(sentence({ engine: 'intl' }), part));
  const engine = sentence({ engine: 'sentence-splitter', splitter: { split } });
  time('sentence-splitter, engine of millrace', text.slice(0, 1 << 17), (part) => byLevel(engine, part));
  time("Mastra's rule", text.slice(0, 1 << 15), byMastra);
}

function time(name, text, find) {
  find(text.slice(0, text.length >> 3));
  const begun = performance.now();
  find(text);
  console.log(`| ${name} | ${text.length} | ${(text.length / 1000 / (performance.now() - begun)).toFixed(1)} |`);
}
