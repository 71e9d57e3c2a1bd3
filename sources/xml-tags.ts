/**
 * The grammar of a start tag: its name, and where each attribute's value is. It is given one whole tag at a time. Tags as nearly
 * all are written are read here, many times faster; all others, and all that are wrong, by sax. It
 * never sees references, which it resolves too freely (`&AMP;`, `&#1;`, `&constructor;`), nor text, so it holds no state of the document.
 */
import sax from 'sax';

export interface Attribute {
  readonly name: string;
  /** Units of the tag's text that are its value as it is written, without quotes. */
  readonly from: number;
  readonly to: number;
}

export interface StartTag {
  readonly name: string;
  readonly attributes: readonly Attribute[];
}

/** What is wrong with a tag, and at which unit of it. */
export interface TagFault {
  readonly unit: number;
  readonly problem: string;
}

/** In a tag it can be nowhere but in quotes, like the `&` that it stands for. */
const NO_REFERENCE = ';';

export class TagReader {
  readonly #parser = sax.parser(true);
  #tag = '';
  /** Units the parser had before the tag. */
  #before = 0;
  #name = '';
  #attributes: Attribute[] = [];
  #fault: TagFault | undefined;

  constructor() {
    const parser = this.#parser;
    // Within a root, so that no tag is after it.
    parser.write('<root>');
    parser.onopentag = ({ name }) => {
      this.#name = name;
    };
    parser.onattribute = ({ name }) => this.#attribute(name);
    parser.onerror = ({ message }) => {
      this.#fault ??= { unit: this.#unit, problem: message.split('\n', 1)[0]!.toLowerCase() };
    };
  }

  /** `tag` is all from `<` to `>`. After a fault the reader is of no more use. */
  read(tag: string): StartTag | TagFault {
    return plainTag(tag) ?? this.#readBySax(tag);
  }

  #readBySax(tag: string): StartTag | TagFault {
    this.#tag = tag;
    this.#before = this.#parser.position;
    this.#attributes = [];
    const closed = tag.endsWith('/>') ? tag : `${tag.slice(0, -1)}/>`;
    this.#parser.write(closed.includes('&') ? closed.replaceAll('&', NO_REFERENCE) : closed);
    return this.#fault ?? { name: this.#name, attributes: this.#attributes };
  }

  /** The unit of the tag at which the parser is. */
  get #unit(): number {
    return Math.min(this.#parser.position - this.#before, this.#tag.length) - 1;
  }

  /** The parser has just read the quote that ends its value. */
  #attribute(name: string): void {
    // sax asks this object whether it has the next name: it must not have one called hasOwnProperty. It also drops repeated names.
    delete this.#parser.tag.attributes[name];
    const to = this.#unit;
    const from = this.#tag.lastIndexOf(this.#tag[to]!, to - 1) + 1;
    this.#attributes.push({ name, from, to });
  }
}

const [BLANK, EQUALS, GT, SLASH] = [0x20, 0x3d, 0x3e, 0x2f];

/** A sound tag of ASCII names, with one space before each attribute and none beside its `=`; undefined: it is none such. */
function plainTag(tag: string): StartTag | undefined {
  let at = pastName(tag, 1);
  const name = tag.slice(1, at);
  const attributes: Attribute[] = [];
  while (tag.charCodeAt(at) === BLANK && tag.length - at > 3) {
    const equals = pastName(tag, at + 1);
    const quote = tag[equals + 1];
    if (equals === at + 1 || tag.charCodeAt(equals) !== EQUALS || (quote !== '"' && quote !== "'")) return undefined;
    const from = equals + 2;
    const to = tag.indexOf(quote, from);
    if (to < 0) return undefined;
    attributes.push({ name: tag.slice(at + 1, equals), from, to });
    at = to + 1;
  }
  if (tag.charCodeAt(at) === BLANK) at++;
  if (tag.charCodeAt(at) === SLASH) at++;
  return name !== '' && tag.charCodeAt(at) === GT ? { name, attributes } : undefined;
}

/** 1: may begin a name, 2: may go on in one. The others are for sax to judge. */
const NAME_UNIT = new Uint8Array(128);
for (const unit of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:') NAME_UNIT[unit.charCodeAt(0)] = 1;
for (const unit of '0123456789-.') NAME_UNIT[unit.charCodeAt(0)] = 2;

/** Where the ASCII name ends that begins at `at`; `at`: none does. */
export function pastName(text: string, at: number): number {
  let end = at;
  if (NAME_UNIT[text.charCodeAt(at)] === 1) while (NAME_UNIT[text.charCodeAt(end)]! > 0) end++;
  return end;
}

/** Names of more attributes than this are looked up rather than compared with each other. */
const FEW_ATTRIBUTES = 8;

/** The attribute that comes a second time, which XML forbids and sax lets pass. */
export function repeated(attributes: readonly Attribute[]): Attribute | undefined {
  if (attributes.length <= FEW_ATTRIBUTES) {
    for (let k = 1; k < attributes.length; k++) {
      const attribute = attributes[k]!;
      for (let before = 0; before < k; before++) if (attributes[before]!.name === attribute.name) return attribute;
    }
    return undefined;
  }
  const names = new Set<string>();
  return attributes.find(({ name }) => names.size === names.add(name).size);
}
