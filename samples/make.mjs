/**
 * Writes the samples that an editor cannot show or would spoil: odd bytes, signatures, invisible characters, sheer length.
 * Needs Node only and is deterministic: run again, it changes nothing. With --check it writes nothing, and exits with 1 when
 * a file is not what it would write; with --day-book it prints what the samples in compressed/ hold. The plain texts in this folder were written by hand and are not touched.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const utf8 = (text) => Buffer.from(text, 'utf8');
const utf16le = (text) => Buffer.from(text, 'utf16le');
const utf16be = (text) => utf16le(text).swap16();
const bytes = (...parts) => Buffer.concat(parts.map((part) => (typeof part === 'string' ? utf8(part) : Buffer.from(part))));

/** The whole of `length` lower-case letters, random in look, repeating after `period`: an offset that is off by less shows. */
function letters(length, period) {
  let state = 1;
  const cycle = Buffer.alloc(period);
  for (let i = 0; i < period; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    cycle[i] = 97 + ((state >>> 16) % 26);
  }
  return Buffer.alloc(length, cycle);
}

/* UTF-8 signature, CR LF line ends, blanks and tabs before them, a last line without an end. */
const bomCrlf = `\uFEFF${[
  'Notes on a sluice gate   ',
  '',
  'The gate is made of oak, 40 mm thick.\t',
  'It slides in iron grooves.  \t  ',
  '   ',
  '\t',
  'Open it slowly: the first turn lets through more water than the next three.',
  'A gate that sticks wants grease, not force. ',
  '',
  '',
  '',
  '',
  'Four blank lines stand above this one, and no line end follows it.',
].join('\r\n')}`;

/* The same text in both byte orders: three scripts, and characters outside of the first 65,536. */
const wide = [
  'Sixteen bits at a time',
  '',
  'Water 水, вода, ύδωρ. A wheel \u{1F3A1}, a wave \u{1F30A}, a family \u{1F468}\u200D\u{1F469}\u200D\u{1F467}.',
  'A clef \u{1D11E} is two units here and four bytes in UTF-8.',
  '',
].join('\n');

const emoji = [
  'Families: \u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466} \u{1F469}\u200D\u{1F469}\u200D\u{1F466} \u{1F468}\u200D\u{1F467}\u200D\u{1F467}',
  'Flags: \u{1F1EB}\u{1F1F7}\u{1F1EF}\u{1F1F5}\u{1F1E7}\u{1F1F7} \u{1F1EE}\u{1F1F3}, of parts \u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} \u{1F3F3}\uFE0F\u200D\u{1F308}',
  'Skin tones: \u{1F44B}\u{1F3FB}\u{1F44B}\u{1F3FC}\u{1F44B}\u{1F3FD}\u{1F44B}\u{1F3FE}\u{1F44B}\u{1F3FF} \u{1F9D1}\u{1F3FD}\u200D\u{1F91D}\u200D\u{1F9D1}\u{1F3FB}',
  'Keycaps: 1\uFE0F\u20E3 2\uFE0F\u20E3 #\uFE0F\u20E3 *\uFE0F\u20E3',
  'Jobs: \u{1F469}\u{1F3FE}\u200D\u{1F52C} \u{1F468}\u200D\u{1F33E} \u{1F9D1}\u200D\u{1F680}',
  'Text and picture: \u2764\uFE0E \u2764\uFE0F \u2618\uFE0F',
  'Alone: a joiner \u200D here, a selector \uFE0F here, one half of a flag \u{1F1E6} here.',
  `Without a gap: ${'\u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}'.repeat(40)}`,
  '',
].join('\n');

/* One line per way to be invalid; the number is how many U+FFFD it decodes to (one per maximal bad part). */
const invalid = bytes(
  'sound words first\n',
  'lone continuation, 1: left', [0x80], 'right\n',
  'three continuations, 3: left', [0x80, 0xbf, 0x9f], 'right\n',
  'lead of two alone, 1: left', [0xc3], 'right\n',
  'lead of three alone, 1: left', [0xe2], 'right\n',
  'three cut after two, 1: left', [0xe2, 0x82], 'right\n',
  'lead of four alone, 1: left', [0xf0], 'right\n',
  'four cut after two, 1: left', [0xf0, 0x9f], 'right\n',
  'four cut after three, 1: left', [0xf0, 0x9f, 0x98], 'right\n',
  'cut, then a sound letter, 1: left', [0xe2, 0x82], '\u00e9right\n',
  'overlong in two, 2: left', [0xc0, 0xaf], 'right\n',
  'overlong in three, 3: left', [0xe0, 0x80, 0xaf], 'right\n',
  'overlong in four, 4: left', [0xf0, 0x80, 0x80, 0xaf], 'right\n',
  'high surrogate, 3: left', [0xed, 0xa0, 0x80], 'right\n',
  'surrogate pair, 6: left', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], 'right\n',
  'above U+10FFFF, 4: left', [0xf4, 0x90, 0x80, 0x80], 'right\n',
  'lead of five, 5: left', [0xf8, 0x88, 0x80, 0x80, 0x80], 'right\n',
  'never used, 2: left', [0xfe, 0xff], 'right\n',
  'latin-1 text, 1: caf', [0xe9], ' noir\n',
  'a sound U+FFFD, 1: left\ufffdright\n',
  'cut by the end of the file, 1: left', [0xf0, 0x9f, 0x92],
);

const separators = [
  ['two LF', '\n\n'],
  ['two CR LF', '\r\n\r\n'],
  ['two CR', '\r\r'],
  ['LF, blanks, LF', '\n  \t \n'],
  ['CR LF, a blank, CR LF', '\r\n \r\n'],
  ['LF and CR LF', '\n\r\n'],
  ['LF and CR', '\n\r'],
  ['CR, LF, CR', '\r\n\r'],
  ['LF, no-break space, LF', '\n\u00A0\n'],
  ['two NEL', '\u0085\u0085'],
  ['one line separator', '\u2028'],
  ['one paragraph separator', '\u2029'],
  ['line separator and LF', '\u2028\n'],
  ['vertical tab', '\v'],
  ['form feed between LFs', '\n\f\n'],
  ['seven LF', '\n\n\n\n\n\n\n'],
  ['ideographic space', '\u3000'],
]
  .map(([name, separator]) => `This paragraph ends with: ${name}.${separator}`)
  .concat('This is the last one.\n')
  .join('');

const zeroWidth = [
  'Zero-width space: un\u200Bbreak\u200Bable, and two\u200B\u200Btogether, and at the end\u200B',
  '\u200BZero-width space at the start; between blanks: a \u200B b.',
  'Word joiner: 10\u2060km, not\u2060here.',
  'Signature inside: be\uFEFFfore, and \uFEFF between blanks, and\uFEFF\uFEFF twice.',
  'Soft hyphen: mill\u00ADrace.',
  'Persian, joined by none (U+200C): \u0645\u06CC\u200C\u0631\u0648\u0645\u060C \u06A9\u062A\u0627\u0628\u200C\u0647\u0627\u06CC \u0622\u0628\u060C \u0646\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645.',
  'Hindi, with and without joiner (U+200D, U+200C): \u0915\u094D\u0937, \u0915\u094D\u200D\u0937, \u0915\u094D\u200C\u0937.',
  'Sinhala, joined: \u0DC1\u0DCA\u200D\u0DBB\u0DD3 \u0DBD\u0D82\u0D9A\u0DCF.',
  'Thai, words marked: \u0E19\u0E49\u0E33\u200B\u0E44\u0E2B\u0E25\u200B\u0E0A\u0E49\u0E32. Thai beside Latin: \u0E19\u0E49\u0E33\u200Bwater\u200B\u0E19\u0E49\u0E33.',
  'Khmer, words marked: \u1791\u17B9\u1780\u200B\u17A0\u17BC\u179A. Lao: \u0E99\u0EC9\u0EB3\u200B\u0EC4\u0EAB\u0EBC. Myanmar: \u101B\u1031\u200B\u1005\u102E\u1038.',
  'Directions: \u200Eleft to right mark, \u200Fright to left mark, \u2066isolated\u2069.',
  'Only zero-width on the next line:',
  '\u200B\u2060\uFEFF',
  'The end.',
  '',
].join('\n');

const specialTokens = [
  'A corpus about language models contains the names of their special tokens, and they are ordinary text.',
  '',
  'One document ends with <|endoftext|> and another begins with it: <|endoftext|><|endoftext|>.',
  'Code models add <|fim_prefix|>, <|fim_middle|> and <|fim_suffix|>; prompts end with <|endofprompt|>.',
  'Chats are written as <|im_start|>user and <|im_end|>, or <|start|>assistant<|channel|>final<|message|>.',
  'Others write [INST] and [/INST], <s> and </s>, [CLS] [SEP] [PAD] [MASK] [UNK], <pad>, <unk>.',
  'Almost: <|endoftext|, <|endoftext >, < |endoftext|>, <|ENDOFTEXT|>, |endoftext|, <|end\u200Boftext|>.',
  '',
].join('\n');

const log = (() => {
  const data = letters(24_576, 4_099);
  const lines = [];
  for (let i = 0; i < 60; i++) {
    const stamp = `2026-01-${String(1 + (i % 28)).padStart(2, '0')}T${String(i % 24).padStart(2, '0')}:${String((i * 7) % 60).padStart(2, '0')}:00.${String((i * 137) % 1000).padStart(3, '0')}Z`;
    const level = ['INFO', 'WARN', 'ERROR', 'DEBUG'][i % 4];
    const id = data.subarray(i * 9, i * 9 + 4).toString('hex');
    lines.push(`${stamp} ${level} gate[${100 + i}]: req=${id} level=${(i * 0.37).toFixed(2)}m flow=${300 - i}l/s path=/api/v1/wheels/${i}?full=${i % 2 === 0} took=${(i * 31) % 997}ms`);
  }
  lines.push('-----BEGIN DATA-----', ...(data.subarray(0, 3_072).toString('base64').match(/.{1,76}/g) ?? []), '-----END DATA-----');
  lines.push(data.subarray(3_072, 12_288).toString('base64'));
  const wheels = Array.from({ length: 120 }, (_, i) => ({ id: i, key: data.subarray(i * 5, i * 5 + 6).toString('hex'), rpm: i / 8, on: i % 3 === 0, tags: ['a', `t${i}`, null] }));
  lines.push(JSON.stringify({ wheels, note: 'one line, no blanks:"\\"' }));
  lines.push('    at turn (wheel.js:41:17)', '    at <anonymous>', '0x7f3a 0000 de ad be ef  |....|', '\u001b[31mred\u001b[0m \u0000 \u0007', '');
  return lines.join('\n');
})();

/* A table: signature, all three line ends in turn, also within quotes, NUL, a blank line, an empty last cell without a line end. */
const mixedEnds =
  '\uFEFFday,level,note\r\n1,"0,5","first\r\nsecond\rthird\nfourth"\n\r\n2,,"said ""\u0000"" twice"\r3,\u00e9 \u6c34 \u{1F3A1},';

/* A table that names its delimiter, in UTF-16. */
const utf16Table =
  'sep=;\r\ngate;note\r\nnorth;"\u043e\u0442\u043a\u0440\u044b\u0442; ""wide"" \u{1F30A}"\r\nsouth;closed\r\n';

/* The same emoji as itself and as two escapes, in UTF-16. */
const utf16Json = '\uFEFF[{"id":1,"body":"caf\\u00e9 \u{1F600} \\ud83d\\ude00"}]';

/* A signature, record separators (U+001E) before records, one of them cut off by the next, and one over two lines. */
const separated = '\uFEFF\u001e{"body":"one"}\n\u001e{"body":"cut o\u001e{"body":\n"three"}\n';

/* Bytes that are no UTF-8: within a text, and as a whole line. */
const invalidLines = bytes('{"body":"bad ', [0xff, 0xc3], ' bytes"}\r\n', [0xff], '\r\n{"body":"next"}\r\n');

/* The day book of a mill, 240 KB of it: what the compressed samples hold. It is printed, not kept. */
function dayBook() {
  const grains = ['rye', 'wheat', 'barley', 'oats', 'рожь', 'σιτάρι', '小麦', 'شعير'];
  const remarks = ['The wheel ran well.', 'Ice on the rack until noon.', 'The belt slipped twice; greased.', '水位が低い。', 'Тихо.', ''];
  let state = 7;
  const pick = (count) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 16) % count;
  };
  const days = [];
  for (let day = 1; day <= 4_000; day++) {
    const sacks = `${pick(90) + 10} sacks of ${grains[pick(grains.length)]}`;
    days.push(`Day ${day}: ${sacks} in ${pick(9) + 2} hours. ${remarks[pick(remarks.length)]}${day % 7 === 0 ? '\n\n' : '\n'}`);
  }
  return days.join('');
}

const files = {
  'bom-crlf.txt': utf8(bomCrlf),
  'utf16le.txt': bytes([0xff, 0xfe], utf16le(wide)),
  'utf16be.txt': bytes([0xfe, 0xff], utf16be(wide)),
  'emoji.txt': utf8(emoji),
  'long-line.txt': letters(1 << 20, 4_099),
  'invalid.txt': invalid,
  'empty.txt': Buffer.alloc(0),
  'blanks.txt': utf8(' \t  \n\n\u00A0\u00A0\r\n \u2003\u3000\t\r\r\n\n\u2028\u0085 \v\f \n  '),
  'one-byte.txt': utf8('m'),
  'no-final-newline.txt': utf8('The first line ends as it should.\nThe last one does not'),
  'special-tokens.txt': utf8(specialTokens),
  'separators.txt': utf8(separators),
  'zero-width.txt': utf8(zeroWidth),
  'log.txt': utf8(log),
  'mixed-ends.csv': utf8(mixedEnds),
  'utf16.csv': bytes([0xff, 0xfe], utf16le(utf16Table)),
  'latin.csv': Buffer.from('name;note\r\nM\u00fcller;"caf\u00e9 ""noir"""\r\n', 'latin1'),
  'utf16.json': utf16le(utf16Json),
  'rs.jsonl': utf8(separated),
  'invalid.jsonl': invalidLines,
};

if (process.argv.includes('--day-book')) {
  // A pipe would lose what process.stdout still holds at the exit.
  writeFileSync(1, dayBook());
  process.exit();
}

const check = process.argv.includes('--check');
for (const [name, content] of Object.entries(files)) {
  const url = new URL(name, import.meta.url);
  if (!check) writeFileSync(url, content);
  else if (!content.equals(readFileSync(url))) {
    console.error(`samples/${name} is not what samples/make.mjs writes: run node samples/make.mjs, or change the script`);
    process.exitCode = 1;
  }
}
