/**
 * The answers of S3: small XML documents of elements and text. Attributes, comments and instructions are passed over; what is no
 * XML of this kind throws, so that a broken listing is never a short one. A reader of XML at large is sources/xml.ts.
 */

export interface XmlElement {
  /** Without a namespace's prefix. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** Its own text, references resolved. */
  readonly text: string;
}

type Open = { name: string; children: XmlElement[]; text: string };

const PART =
  /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<(\/?)([\w:.-]+)(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*?)?(\/?)>|([^<]+)/y;

/** The root of a document. @throws SyntaxError */
export function xmlRoot(document: string): XmlElement {
  const top: Open = { name: '', children: [], text: '' };
  const open: Open[] = [top];
  PART.lastIndex = document.startsWith('\ufeff') ? 1 : 0;
  while (PART.lastIndex < document.length) {
    const found = PART.exec(document);
    if (found === null) throw new SyntaxError('no XML');
    const [, verbatim, closing, tag, closed, text] = found;
    const inner = open.at(-1)!;
    if (text !== undefined) inner.text += resolved(text);
    else if (verbatim !== undefined) inner.text += verbatim;
    else if (tag !== undefined) take(open, localName(tag), closing === '/', closed === '/');
  }
  const [root] = top.children;
  if (open.length > 1 || top.children.length !== 1 || top.text.trim() !== '') throw new SyntaxError('no XML document');
  return root!;
}

/** The text of a child, trimmed of nothing; undefined: there is none. */
export function childText(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}

const localName = (tag: string) => tag.slice(tag.indexOf(':') + 1);

function take(open: Open[], name: string, isEnd: boolean, isEmpty: boolean): void {
  if (isEnd) {
    if (open.length < 2 || open.pop()!.name !== name) throw new SyntaxError('no XML: an end tag that ends nothing');
    return;
  }
  const element: Open = { name, children: [], text: '' };
  open.at(-1)!.children.push(element);
  if (!isEmpty) open.push(element);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function resolved(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:(\w+)|#(\d+)|#x([\da-fA-F]+));|&/g, (all, name?: string, decimal?: string, hex?: string) => {
    const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
    const meant = code === undefined ? ENTITIES[name ?? ''] : code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
    if (meant === undefined) throw new SyntaxError(`no XML: the reference ${all}`);
    return meant;
  });
}
