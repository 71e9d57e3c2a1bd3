/**
 * Where text in each language may be cut: the presets of `--language`. Most are tables of how lines of code begin (code.ts says how
 * these become boundaries); markup has patterns of its own. All end with what any text has: paragraphs, lines, words.
 *
 * The patterns know how people write, not the grammar: a line within a string that looks like a definition is taken for one.
 */
import type { Level } from '../../src/types.js';
import { type CodeLines, codeLevels } from './code.js';
import { line, paragraph, word } from './levels.js';
import { markdownLevels } from './markdown.js';
import { sentence } from './sentences.js';
import { separatorLevel } from './separators.js';

/** Comments and decorators; both may have several lines. */
const C_LEAD = /^(?:\/\/|\/\*|\*(?:\s|\/|\*|$)|@\w)/;
const C_COMMENT = [/\*\/\s*$/, /^\/\*/] as const;
const DECORATOR = [/^[\])}]*\)[\])}]*$/, /^(?:@\w|#\[)/] as const;
const C_SPANS = [C_COMMENT, DECORATOR];

const C_BLOCK = /^(?:if|for|foreach|while|do|switch|try|synchronized|lock|using|unsafe|with|guard|repeat|defer|select|go)\b/;

/** Words that begin a statement, which otherwise would look like the head of a function. */
const STATEMENT =
  '(?!(?:if|else|for|foreach|while|when|match|do|switch|case|default|catch|finally|return|throw|new|await|yield|goto|delete|sizeof|using|lock|assert|print|echo|super|this|base)\\b)';

const ECMA_MODIFIERS =
  '(?:(?:export|default|declare|abstract|async|public|private|protected|static|readonly|override|accessor|get|set)\\s+)*';

/** A method's head ends its line with a brace: a call does not. */
const ECMA: CodeLines = {
  definition: new RegExp(
    `^${ECMA_MODIFIERS}(?:function\\b|class\\b|interface\\s+\\w|enum\\s+\\w|namespace\\s+\\w|global\\b|module\\s+\\S+\\s*\\{|type\\s+\\w+[^=]{0,80}=|const\\s+enum\\b|${STATEMENT}[*#\\w$]+\\s*(?:<[^()]*>)?\\([^;]*\\{$)`,
  ),
  top: new RegExp(`^${ECMA_MODIFIERS}(?:const|let|var)\\s|^export\\b|^(?:describe|it|test)\\(`),
  block: C_BLOCK,
  lead: C_LEAD,
  spans: C_SPANS,
};

const C: CodeLines = {
  definition: new RegExp(
    `^(?:(?:export|typedef|static|inline|constexpr|extern(?:\\s+"C")?|virtual|explicit|friend)\\s+)*(?:(?:class|struct|union|enum|namespace|concept)\\b[^;()=]*$|template\\s*<.*>\\s*\\S|extern\\s+"C"|${STATEMENT}(?:[\\w~]|operator\\b)[^;=()]{0,120}\\([^;]*$)`,
  ),
  top: /^(?:#define|typedef|static|const|extern)\b/,
  block: C_BLOCK,
  // A return type may have a line of its own, as may `template <…>`.
  lead: /^(?:\/\/|\/\*|\*(?:\s|\/|\*|$)|\[\[|template\s*<[^()]*>$|(?:static|extern|inline|const|unsigned|struct|enum|void|int|char|bool|double|float|\w+_t)(?:\s[\w\s*]*)?$)/,
  spans: [C_COMMENT],
};

const JVM_MODIFIERS =
  '(?:(?:public|private|protected|internal|static|final|abstract|sealed|non-sealed|default|synchronized|native|strictfp|transient|volatile|open|override|inline|suspend|data|inner|value|enum|annotation|companion|lateinit|operator|infix|tailrec|const|implicit|lazy|case|transparent|opaque)\\s+)*';

/** `public List<String> names(` and `Foo(`: words, the last of them before a bracket, and no statement. */
const JVM_METHOD = `${STATEMENT}(?:<[^()]{1,80}>\\s*)?[\\w$][\\w$<>[\\],.?&\\s]*\\([^;=]*(?:\\{|,|\\(|throws\\s[\\w., ]*)$`;

const JVM: CodeLines = {
  definition: new RegExp(
    `^${JVM_MODIFIERS}(?:class|interface|@interface|enum|record|object|trait|fun|def|given|extension|typealias|init\\s*\\{|constructor\\s*\\(|companion\\s+object)\\b|^${JVM_MODIFIERS}${JVM_METHOD}`,
  ),
  top: new RegExp(`^${JVM_MODIFIERS}(?:val|var|type)\\s`),
  block: /^(?:if|for|while|do|switch|when|try|synchronized|match)\b/,
  lead: C_LEAD,
  spans: C_SPANS,
};

const HASH_BLOCK = /^(?:if|unless|for|foreach|while|until|begin|case|loop|do)\b/;

const CODE = {
  c: C,
  cpp: C,
  java: JVM,
  kotlin: JVM,
  scala: JVM,
  js: ECMA,
  ts: ECMA,
  go: {
    definition: /^(?:func|type)\b/,
    top: /^(?:var|const|import)\b/,
    block: C_BLOCK,
    lead: C_LEAD,
    spans: [C_COMMENT],
  },
  php: {
    definition:
      /^(?:(?:abstract|final|public|private|protected|static|readonly)\s+)*(?:function\b|class\s|interface\s|trait\s|enum\s|namespace\s|const\s)/i,
    top: /^(?:use\s|<\?php|\?>)/i,
    block: C_BLOCK,
    lead: /^(?:\/\/|\/\*|\*(?:\s|\/|\*|$)|#)/,
    spans: C_SPANS,
  },
  proto: {
    definition: /^(?:message|enum|service|extend|oneof|rpc)\s/,
    top: /^(?:package|import|option)\s/,
    lead: C_LEAD,
    spans: [C_COMMENT],
  },
  python: {
    definition: /^(?:async\s+def|def|class)\s/,
    top: /^if\s+__name__\b/,
    block: /^(?:async\s+(?:for|with)|if|for|while|try|with|match)\b/,
    lead: /^(?:#|@\w)/,
    spans: [DECORATOR],
  },
  ruby: {
    definition:
      /^(?:(?:private|public|protected|module_function|private_class_method)\s+)?(?:def|class|module)\s|^(?:describe|context|it)\s/,
    block: HASH_BLOCK,
    lead: /^(?:#|sig\s*\{)/,
    spans: [[/^=end\b/, /^=begin\b/]],
  },
  rust: {
    definition:
      /^(?:pub(?:\s*\([^)]*\))?\s+)?(?:(?:default|const|async|unsafe|auto|extern(?:\s+"[^"]*")?)\s+)*(?:fn|struct|enum|union|trait|impl|mod|type|macro_rules!)(?:\s|<)/,
    top: /^(?:pub(?:\s*\([^)]*\))?\s+)?(?:static|const|use)\s/,
    block: /^(?:if|for|while|loop|match|unsafe)\b/,
    lead: /^(?:\/\/|\/\*|\*(?:\s|\/|\*|$)|#!?\[)/,
    spans: [C_COMMENT, [/^[\])}]*\][\])}]*$/, /^#!?\[/]],
  },
  swift: {
    definition:
      /^(?:(?:public|private|fileprivate|internal|open|package|static|class|final|override|mutating|nonmutating|required|convenience|indirect|lazy|async|nonisolated|distributed)\s+)*(?:func|class|struct|enum|protocol|extension|actor|init|deinit|subscript|typealias|macro)\b/,
    top: /^(?:(?:public|private|internal)\s+)*(?:let|var|import)\s/,
    block: C_BLOCK,
    lead: C_LEAD,
    spans: C_SPANS,
  },
  sol: {
    definition:
      /^(?:abstract\s+contract|contract|interface|library|function|constructor|modifier|event|error|struct|enum|receive|fallback)\b/,
    top: /^(?:pragma|import|using)\s/,
    block: C_BLOCK,
    lead: C_LEAD,
    spans: [C_COMMENT],
  },
  csharp: {
    definition: new RegExp(
      `^(?:(?:public|private|protected|internal|static|sealed|abstract|virtual|override|async|partial|readonly|unsafe|extern|new|required|file|ref)\\s+)*(?:(?:class|struct|interface|enum|record|namespace|delegate|event)\\s|${STATEMENT}[\\w$][\\w$<>[\\],.?\\s]*\\([^;=]*$)`,
    ),
    top: /^(?:using|global\s+using)\s/,
    block: C_BLOCK,
    lead: /^(?:\/\/|\/\*|\*(?:\s|\/|\*|$)|\[\w[^\]]*\]?)/,
    spans: [C_COMMENT, [/^[\])}]*\]$/, /^\[\w/]],
  },
  lua: {
    definition: /^(?:local\s+)?function\b|^(?:local\s+)?[\w.:]+\s*=\s*function\b/,
    top: /^(?:local|return)\s/,
    block: /^(?:if|for|while|repeat|do)\b/,
    lead: /^--/,
    spans: [[/^(?:--)?\]=*\]/, /^--\[=*\[/]],
  },
  perl: {
    definition: /^(?:sub|package|class|method|role|BEGIN|END|INIT)\b/,
    top: /^(?:use|our|my|__END__|__DATA__|=(?!cut)\w)/,
    block: HASH_BLOCK,
    lead: /^#/,
    spans: [[/^=cut\b/, /^=(?!cut)\w/]],
  },
  haskell: {
    // A function begins with its type; its equations follow.
    definition:
      /^(?:data|newtype|type|class|instance|module|deriving|pattern|foreign|infix[lr]?)\s|^[a-z_][\w']*(?:\s*,\s*[a-z_][\w']*)*\s*::/,
    top: /^import\s/,
    block: /^(?:where|case|do|let|if)\b/,
    lead: /^(?:--|\{-)/,
    spans: [[/-\}\s*$/, /^\{-/]],
  },
  elixir: {
    definition:
      /^(?:defmodule|defprotocol|defimpl|defstruct|defmacrop?|defguardp?|defdelegate|defexception|defp?|describe|test)\s/,
    block: /^(?:if|unless|case|cond|with|for|try|receive)\b/,
    lead: /^(?:#|@(?:doc|spec|impl|typedoc|deprecated|since|tag|decorate)\b)/,
    spans: [[/^"""$/, /^@\w+\s+(?:~\w)?"""/]],
  },
  powershell: {
    definition: /^(?:function|filter|workflow|configuration|class|enum)\s/i,
    top: /^(?:param|begin|process|end|using)\b/i,
    block: /^(?:if|for|foreach|while|do|switch|try|trap)\b/i,
    lead: /^(?:#|\[\w+\s*\()/,
    spans: [[/#>\s*$/, /^<#/]],
  },
} satisfies Record<string, CodeLines>;

/** Any depth of indentation: COBOL's columns say nothing of structure. */
function cobolLevels(): Level[] {
  // Columns 1 to 6 may hold a sequence number; a star in the seventh makes a comment.
  const starts = (what: string) => separatorLevel([new RegExp(`^(?:[\\d ]{6})?[ \\t]*${what}`, 'imu')], 'start');
  return [
    starts('[A-Z]+\\s+DIVISION\\b'),
    starts('[A-Z0-9-]+\\s+SECTION\\b'),
    starts('(?!(?:END-[A-Z]+|EXIT|GOBACK|CONTINUE|ELSE)\\b)[A-Z0-9]+(?:-[A-Z0-9]+)*\\.[ \\t]*$'),
    starts('(?:01|77|FD|SD)\\s'),
    starts('(?:PERFORM|IF|EVALUATE|READ|OPEN|CALL|EXEC)\\s'),
  ];
}

function htmlLevels(): Level[] {
  const before = (...names: string[]) => separatorLevel([new RegExp(`<(?:${names.join('|')})(?=[\\s>/])`, 'iu')], 'start');
  return [
    before('head', 'body', 'main', 'header', 'footer', 'nav', 'aside', 'section', 'article', 'h1'),
    before('h2'),
    before('h3'),
    before('h[4-6]'),
    before('div', 'form', 'table', 'ul', 'ol', 'dl', 'figure', 'blockquote', 'pre', 'script', 'style', 'template'),
    before('p', 'li', 'tr', 'dt', 'title', 'meta', 'link'),
    before('br', 'td', 'th', 'span', 'option'),
  ];
}

function latexLevels(): Level[] {
  const before = (what: string) => separatorLevel([new RegExp(`^[ \\t]*\\\\${what}`, 'mu')], 'start');
  return [
    before('(?:part|begin\\{document\\}|appendix)\\b'),
    before('chapter\\b'),
    before('section\\b'),
    before('subsection\\b'),
    before('subsubsection\\b'),
    before('(?:sub)?paragraph\\b'),
    before('begin\\{'),
    before('(?:item|bibitem)\\b'),
  ];
}

/** Titles: lined above and below, then underlined, as most documents use these marks; then directives. */
function rstLevels(): Level[] {
  const titled = (marks: string) =>
    new RegExp(`^(?<!([^\\w\\s])\\1{2,}[ \\t]*\\n)\\S[^\\n]*\\n([${marks}])\\2{2,}[ \\t]*$`, 'mu');
  const patterns = [
    /^([^\w\s])\1{2,}[ \t]*\n[ \t]*\S[^\n]*\n\1{3,}[ \t]*$/mu,
    titled('='),
    titled('\\-'),
    titled('~^"\'`*+#:._'),
    /^\.\. \S/mu,
  ];
  return patterns.map((pattern) => separatorLevel([pattern], 'start'));
}

/** What any text in a language of people has. */
const prose = (): Level[] => [paragraph, line, sentence(), word];

const MARKUP: Readonly<Record<string, () => Level[]>> = {
  html: () => [...htmlLevels(), ...prose()],
  latex: () => [...latexLevels(), ...prose()],
  markdown: () => [...markdownLevels(), ...prose()],
  rst: () => [...rstLevels(), ...prose()],
  cobol: () => [...cobolLevels(), paragraph, line, word],
};

export const LANGUAGES: readonly string[] = [...Object.keys(CODE), ...Object.keys(MARKUP)].toSorted();

/** The boundaries of a language of the list. */
export function languageLevels(language: string): Level[] {
  const markup = MARKUP[language];
  return markup === undefined ? [...codeLevels(CODE[language as keyof typeof CODE]), paragraph, line, word] : markup();
}
