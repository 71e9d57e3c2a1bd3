/**
 * What text with escapes in it says, found in another way than the scanners find it, so that verify need not take their word.
 * Knows nothing of positions: it is given the source text of a stretch, and answers `undefined` when that is cut inside an
 * escape.
 */

/** `quote`: what cells are quoted with, in tables. */
export type Unescape = (raw: string, quote: string | undefined) => string | undefined;

/** The inside of a JSON string. Half a surrogate pair is no text, and becomes U+FFFD. */
export const unescapeJson: Unescape = (raw) => {
  try {
    return (JSON.parse(`"${raw}"`) as string).toWellFormed();
  } catch {
    return undefined;
  }
};

/** The inside of a quoted cell. */
export const unescapeCsv: Unescape = (raw, quote = '"') => {
  const parts = raw.split(quote + quote);
  return parts.some((part) => part.includes(quote)) ? undefined : parts.join(quote);
};

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Character data or an attribute's value. A reference to an entity of the document's own stands for itself. */
export const unescapeXml: Unescape = (raw) => {
  let whole = true;
  const text = raw.replace(/&([^;&]*)(;?)/g, (reference, name: string, end) => {
    if (end === '') whole = false;
    const [, hexadecimal, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? [];
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    return Object.hasOwn(PREDEFINED, name) ? PREDEFINED[name]! : reference;
  });
  return whole ? text : undefined;
};
