/**
 * References in XML text and attribute values: the five entities that XML predefines, and characters by their number. Entities
 * that a document type defines are never expanded: they stay as they are written.
 */

/** A stretch in which references are undone. */
export interface Decoded {
  readonly text: string;
  /** As `TextWindow.unescaped` takes them. */
  readonly escapes: readonly number[];
  /** Where it ends, or the `&` of the first reference that cannot be undone. */
  readonly stop: number;
}

/** Longest reference, in units: no more than this is waited for. */
export const REFERENCE_UNITS = 1024;

const CHARACTER = /&#(?:x([0-9a-fA-F]+)|([0-9]+));/y;
const ENTITY = /&[\p{L}_:][\p{L}\p{N}\p{M}_:.-]*;/uy;

/** `source.slice(i, j)` as it reads. `defined`: unknown entities may be defined in the document's type, and stay. */
export function undoReferences(source: string, i: number, j: number, defined: boolean): Decoded {
  const escapes: number[] = [];
  let text = '';
  let from = i;
  let at = source.indexOf('&', i);
  while (at >= 0 && at < j) {
    const said = predefined(source, at) ?? character(source, at);
    if (said === undefined) {
      const units = defined ? entityUnits(source, at) : 0;
      if (units === 0 || at + units > j) break;
      at = source.indexOf('&', at + units);
      continue;
    }
    const end = source.indexOf(';', at) + 1;
    if (end > j) break;
    text += source.slice(from, at);
    escapes.push(text.length, said.length, at - i, end - at);
    text += said;
    from = end;
    at = source.indexOf('&', end);
  }
  const stop = at < 0 || at > j ? j : at;
  return { text: text + source.slice(from, stop), escapes, stop };
}

/** What is wrong with the reference at `at`, and how it begins. Looks no further than REFERENCE_UNITS. */
export function referenceProblem(source: string, at: number): { readonly problem: string; readonly excerpt: string } {
  const rest = source.slice(at, at + REFERENCE_UNITS);
  const [excerpt] = /^&[^\s;&<]{0,40};?/u.exec(rest)!;
  CHARACTER.lastIndex = 0;
  if (CHARACTER.test(rest)) return { problem: 'the reference names no character that XML allows', excerpt };
  if (entityUnits(rest, 0) === 0) return { problem: 'an & that begins no reference must be written &amp;', excerpt };
  return { problem: 'the entity is not defined: XML itself knows &amp; &lt; &gt; &quot; and &apos; only', excerpt };
}

function predefined(source: string, at: number): string | undefined {
  switch (source.charCodeAt(at + 1)) {
    case 0x6c:
      return source.startsWith('t;', at + 2) ? '<' : undefined;
    case 0x67:
      return source.startsWith('t;', at + 2) ? '>' : undefined;
    case 0x71:
      return source.startsWith('uot;', at + 2) ? '"' : undefined;
    case 0x61:
      if (source.startsWith('mp;', at + 2)) return '&';
      return source.startsWith('pos;', at + 2) ? "'" : undefined;
    default:
      return undefined;
  }
}

function character(source: string, at: number): string | undefined {
  if (source.charCodeAt(at + 1) !== 0x23) return undefined;
  CHARACTER.lastIndex = at;
  const found = CHARACTER.exec(source);
  if (found === null || found[0].length > REFERENCE_UNITS) return undefined;
  const code = found[1] === undefined ? Number.parseInt(found[2]!, 10) : Number.parseInt(found[1], 16);
  return isCharacter(code) ? String.fromCodePoint(code) : undefined;
}

/** Char of XML 1.0, fifth edition, production 2. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return code < 0xd800 || (code >= 0xe000 && code <= 0x10ffff && code !== 0xfffe && code !== 0xffff);
}

/** Units of the entity's reference at `at`; 0: there is none. */
function entityUnits(source: string, at: number): number {
  ENTITY.lastIndex = at;
  const units = ENTITY.exec(source)?.[0].length ?? 0;
  return units > REFERENCE_UNITS ? 0 : units;
}
