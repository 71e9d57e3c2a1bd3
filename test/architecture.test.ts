/**
 * The rules of ARCHITECTURE.md that a machine can check: who may import whom, who owns which package, where a test must be,
 * what may lie at the top. Each rule is a table here; to change the architecture is to change a table, in the open. A failure
 * says where the thing should go instead.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { homedir } from 'node:os';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/* ------------------------------------------------------------------ the tables */

/** Which layer a file is in: the first row that matches. All other files of src/ are core. */
const LAYERS: readonly (readonly [pattern: RegExp, layer: Layer])[] = [
  [/^src\/cli\//, 'cli'],
  [/^src\/(index|library)\.ts$/, 'index'],
  [/^src\/node(-http)?\.ts$/, 'node'],
  [
    /^src\/(registry|settings|record-settings|input-settings|chunk-options|engine|inputs|reading|rejects|collections|run|job|manifest-file|source-proof|document-proof|verify|output-settings|files-proof)\.ts$/,
    'assembly',
  ],
  [/^src\/pipeline\.ts$/, 'pipeline'],
  [/^src\//, 'core'],
  [/^sources\//, 'sources'],
  [/^transforms\//, 'transforms'],
  [/^sinks\//, 'sinks'],
];

type Layer = 'cli' | 'index' | 'node' | 'assembly' | 'pipeline' | 'core' | 'sources' | 'transforms' | 'sinks';

const COMPONENTS = ['sources', 'transforms', 'sinks'] as const;

/** What a layer may import besides itself, and what to do about an import that is not allowed. */
const MAY_IMPORT: Readonly<Record<Layer, { readonly layers: readonly Layer[]; readonly instead: string }>> = {
  cli: {
    layers: ['index', 'node', 'assembly', 'pipeline', 'core', ...COMPONENTS],
    instead: 'The command line may import everything; this import points outside of the code folders.',
  },
  index: {
    layers: ['node', 'assembly', 'pipeline', 'core', ...COMPONENTS],
    instead: 'The library must work without the command line: move what is needed out of src/cli/.',
  },
  node: {
    layers: ['core'],
    instead: 'src/node.ts only fills in the World of src/world.ts: it needs core types and nothing else.',
  },
  assembly: {
    layers: ['pipeline', 'core', ...COMPONENTS],
    instead:
      'registry, settings, engine, run and verify receive a World and are called from src/library.ts and src/cli/; they import neither these nor src/node.ts.',
  },
  pipeline: {
    layers: ['core'],
    instead: 'src/pipeline.ts turns any Machine into a stream and knows none by name: pass the component in as a value.',
  },
  core: {
    layers: [],
    instead:
      'The core (src/ but for index, library, registry, settings, engine, run, verify, node, pipeline and cli/) knows no component, no stream and no command line: move the shared part down into a core file, or take it as a parameter.',
  },
  sources: {
    layers: ['core'],
    instead:
      'The three folders never import each other: what two of them need is core and belongs in src/; what joins them is src/registry.ts or src/run.ts.',
  },
  transforms: {
    layers: ['core'],
    instead:
      'The three folders never import each other: what two of them need is core and belongs in src/; what joins them is src/registry.ts or src/run.ts.',
  },
  sinks: {
    layers: ['core'],
    instead:
      'The three folders never import each other: what two of them need is core and belongs in src/; what joins them is src/registry.ts or src/run.ts.',
  },
};

/** The one file that may import a package. The rest of the code uses what that file exports. */
const OWNERS: Readonly<Record<string, string>> = {
  'gpt-tokenizer': 'src/tokens/ranks.ts',
  papaparse: 'sources/csv-dialect.ts',
  sax: 'sources/xml-tags.ts',
  'stream-chain': 'src/pipeline.ts',
  tinyglobby: 'sources/files.ts',
  aws4fetch: 'src/s3/request.ts',
  fzstd: 'sources/zstd.ts',
  'xxhash-wasm': 'sources/zstd.ts',
  // Loaded by its name, through the World, when it is asked for.
  'sentence-splitter': 'transforms/boundaries/sentence.ts',
};

/** The layers that also run in a browser: no `node:` import. */
const BROWSER_LAYERS: readonly Layer[] = ['core', 'pipeline', 'transforms'];

/** What may be imported from Node there all the same. */
const NODE_EXCEPTIONS: readonly { readonly file: string; readonly module?: string; readonly typeOnly: boolean }[] = [
  { file: 'src/pipeline.ts', module: 'node:stream', typeOnly: false },
  { file: 'src/world.ts', typeOnly: true },
];

/** Node modules that only the named files may import; src/world.ts may name their types. */
const NODE_OWNERS: readonly { readonly module: RegExp; readonly files: RegExp; readonly instead: string }[] = [
  {
    module: /^(node:)?stream(\/|$)/,
    files: /^src\/pipeline\.ts$/,
    instead: 'Nothing else can tell that it is inside a stream: write a Machine, Source or Sink and let src/pipeline.ts wrap it.',
  },
  {
    module: /^(node:)?(https?|http2|net|tls|dns)(\/|$)/,
    files: /^src\/node-http\.ts$/,
    instead: 'Take it from the World (src/world.ts), which tests replace; src/node-http.ts is the real one.',
  },
  {
    module: /^(node:)?(fs(\/promises)?|process)$/,
    files: /^src\/(node\.ts$|cli\/)/,
    instead: 'Take it from the World (src/world.ts), which tests replace; src/node.ts is the real one.',
  },
];

const PROCESS_FILES = /^src\/(node\.ts$|cli\/)/;

/** What --help and runs over files must not load: whoever needs it asks for it by `await import`. */
const ON_DEMAND: readonly string[] = [
  'aws4fetch',
  'src/node-http.ts',
  'src/s3/request.ts',
  'src/s3/credentials.ts',
  'sources/http.ts',
  'sources/s3.ts',
  'sinks/s3-object.ts',
];

/** The files that load what a user names. */
const LOADERS: readonly string[] = ['src/node.ts'];

/** Files beside the components that are no component themselves, and why. They need a mirrored test, but no conformance call. */
const SUPPORT: Readonly<Record<string, string>> = {
  'transforms/window.ts': 'a part of chunk, which is held to the laws itself',
  'transforms/boundaries/levels.ts': 'finds the levels that strategies share; each strategy is held to the laws itself',
  'transforms/boundaries/records.ts': 'levels that any strategy is given; held to the laws of chunkers in its test',
  'transforms/boundaries/separators.ts': 'a part of recursive, character and regex, which are held to the laws themselves',
  'transforms/boundaries/separator-options.ts': 'a part of recursive, character and regex, which are held to the laws themselves',
  'transforms/boundaries/regex-safety.ts': 'a part of recursive, character and regex, which are held to the laws themselves',
  'transforms/boundaries/regex-tree.ts': 'a part of recursive, character and regex, which are held to the laws themselves',
  'transforms/boundaries/code.ts': 'a part of recursive, which is held to the laws itself',
  'transforms/boundaries/languages.ts': 'a part of recursive, which is held to the laws itself',
  'transforms/boundaries/markdown.ts': 'a part of recursive, which is held to the laws itself',
  'transforms/boundaries/units.ts': 'what section and topic share, which are held to the laws themselves',
  'transforms/boundaries/sentences.ts': 'finds where sentences end, for the strategies that cut there',
  'transforms/boundaries/sentence-engines.ts': 'other engines for the same',
  'transforms/boundaries/sentence-tables.ts': 'what the engine knows of languages',
  'transforms/boundaries/text-tiling.ts': 'finds where topics change, for the strategy that cuts there',
  'transforms/boundaries/text-tiling-scores.ts': 'a part of text-tiling',
  'transforms/boundaries/text-tiling-words.ts': 'a part of text-tiling',
  'transforms/boundaries/stop-words.ts': 'a part of text-tiling',
  'sources/feed.ts': 'the bytes that decompressors take; inflate is held to the laws with each of them',
  'sources/zlib.ts': "Node's decompressors, for gzip, brotli and zstd; inflate is held to the laws with each of them",
  'sources/gzip.ts': 'a part of inflate, which is held to the laws with it',
  'sources/brotli.ts': 'a part of inflate, which is held to the laws with it',
  'sources/zstd.ts': 'a part of inflate, which is held to the laws with it',
  'sources/zstd-frames.ts': 'a part of inflate, which is held to the laws with it',
  'sources/bzip2.ts': 'a part of inflate, which is held to the laws with it',
  'sources/bzip2-block.ts': 'a part of inflate, which is held to the laws with it',
  'sources/records.ts': 'the frame of the formats of records, which are held to the laws themselves',
  'sources/collector.ts': 'makes items of what the scanners find; the formats are held to the laws themselves',
  'sources/window.ts': 'the text that scanners look at; the formats are held to the laws themselves',
  'sources/unescape.ts': 'undoes escapes for verify; the formats are held to the laws themselves',
  'sources/json-paths.ts': 'a part of json and jsonl, which are held to the laws themselves',
  'sources/json-reader.ts': 'a part of json and jsonl, which are held to the laws themselves',
  'sources/json-record.ts': 'a part of json and jsonl, which are held to the laws themselves',
  'sources/json-values.ts': 'a part of json and jsonl, which are held to the laws themselves',
  'sources/csv-columns.ts': 'a part of csv, which is held to the laws itself',
  'sources/csv-dialect.ts': 'a part of csv, which is held to the laws itself',
  'sources/xml-elements.ts': 'a part of xml, which is held to the laws itself',
  'sources/xml-paths.ts': 'a part of xml, which is held to the laws itself',
  'sources/xml-references.ts': 'a part of xml, which is held to the laws itself',
  'sources/xml-tags.ts': 'a part of xml, which is held to the laws itself',
  'sources/ranged.ts': 'one object of a server, for http and s3, which are held to the laws themselves',
  'sources/key-pattern.ts': 'a part of s3, which is held to the laws itself',
  'sinks/s3-object.ts': 'a place to write to, for sinks, which are held to the laws themselves',
  'sinks/store.ts': 'the shapes of stores and the bodies of their files; each store is held to the laws itself',
  'sinks/batch.ts': 'writes the files of stores, each of which is held to the laws itself',
  'sinks/store-facts.ts': 'says in words what the specs of stores hold',
  'sinks/admission.ts': 'a part of batch',
  'sinks/numbered-files.ts': 'a part of batch',
  'sinks/metadata.ts': 'a part of batch',
  'sinks/squeeze.ts': 'a part of batch and lines',
  'sinks/place.ts': 'opens what sinks write to, which are held to the laws themselves',
  'sinks/bytes.ts': 'memory in which sinks encode',
  'sinks/floats.ts': 'writes numbers for sinks',
  'sinks/fields.ts': 'a part of lines',
  'sinks/vectors.ts': 'what the stores of vectors share, which are held to the laws themselves',
  'sinks/flat-metadata.ts': 'a part of chroma, pinecone and qdrant, which are held to the laws themselves',
  'sinks/parquet-file.ts': 'the files of parquet, milvus and pinecone, which are held to the laws themselves',
  'sinks/snappy.ts': 'a part of parquet-file',
  'sinks/thrift.ts': 'a part of parquet-file',
  'sinks/atomic.ts': 'writes aside and renames for the sinks that write files, which are held to the laws themselves',
};

/** Files without a mirrored test, and why. */
const UNTESTED: Readonly<Record<string, string>> = {
  'sinks/admission.ts': 'a part of batch, tested with it: test/sinks/batch.test.ts',
  'src/types.ts': 'types only: nothing runs',
  'src/spec.ts': 'types only: nothing runs',
  'src/world.ts': 'types only: nothing runs',
  'src/index.ts': 'exports only; test/integration/ uses the library through it',
  'sources/feed.ts': 'what all decompressors stand on, tested with them: test/sources/inflate.test.ts',
  'sources/zlib.ts': 'a part of gzip, brotli and zstd, tested with them: test/sources/inflate.test.ts',
  'sources/brotli.ts': 'a few lines over zlib, tested with all compressions: test/sources/inflate.test.ts',
  'sources/zstd-frames.ts': 'a part of zstd, tested with it: test/sources/zstd.test.ts',
  'sources/bzip2-block.ts': 'a part of bzip2, tested with it: test/sources/bzip2.test.ts',
  'sources/collector.ts': 'a part of the frame of records, tested with it: test/sources/records.test.ts',
  'src/s3/listing.ts': 'a part of the s3 source, tested with it: test/sources/s3.test.ts',
  'src/joined.ts': 'a part of flow, tested with it: test/src/flow.test.ts',
  'src/reading.ts': 'a part of run, tested with it: test/src/run.test.ts',
  'src/manifest-file.ts': 'a part of run, tested with it: test/src/run.test.ts',
  'src/interruption.ts': 'a part of run, tested with it: test/src/run.test.ts',
  'src/job.ts': 'a part of run, tested with it: test/src/run.test.ts',
  'src/chunk-options.ts': 'types and a table, checked with what becomes of them: test/src/settings.test.ts, test/docs.test.ts',
  'src/histogram.ts': 'a part of run, tested with it: test/src/run.test.ts',
  'src/source-proof.ts': 'a part of verify, tested with it: test/src/verify.test.ts',
  'src/node.ts': 'the real file system and streams; test/integration/ runs the command line on it',
};

const TOP_LEVEL: readonly string[] = [
  'src',
  'transforms',
  'sources',
  'sinks',
  'test',
  'samples',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'LICENSE',
  '.ci',
  '.gitignore',
  '.gitattributes',
  'biome.json',
  'knip.json',
  'vitest.config.ts',
];

const BANNED_NAMES = /^(utils?|helpers?|common|managers?|base)$/i;

/** Text that belongs to one machine. Written so that this file does not match itself. */
const MACHINE_TEXT: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\bregistry\.[a-z0-9-]+\.[a-z]{2,}/, 'a package registry'],
  [/:\/\/[^/\s"']+\/(?:artifactory|repository|nexus)\//, 'a package registry'],
  [/(?<![\w.~)}-])\/(?:home|Users|root)\/[\w.-]/, 'a home folder'],
  [/(?<![\w.~)}-])\/work\/(?:main|shared|\.)/, 'a checkout'],
  [/\b[A-Z]:\\+Users\\/, 'a home folder'],
  [/_auth(?:Token)?\s*=/, 'a credential'],
];

/* ------------------------------------------------------------------ reading the code */

const ROOT = realpathSync(fileURLToPath(new URL('..', import.meta.url)));

/** Stands for a module named by an expression. */
const UNKNOWN = '(not a constant)';

interface Import {
  /** The importing file, relative to the top. */
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
  /** The imported file of ours, relative to the top; undefined for a package. */
  readonly target: string | undefined;
  readonly typeOnly: boolean;
  /** Loaded when the line is reached, not with its file. */
  readonly onDemand: boolean;
}

interface Code {
  readonly file: string;
  readonly imports: readonly Import[];
  /** Lines that use the global `process`. */
  readonly processLines: readonly number[];
}

/** Every import of a file, static or dynamic, of values or of types; `typeOnly` when nothing is left of it at run time. */
function readCode(file: string): Code {
  const source = parse(file);
  const imports: Import[] = [];
  const processLines: number[] = [];
  const lineOf = (node: ts.Node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const add = (node: ts.Node, specifier: ts.Node | undefined, typeOnly: boolean) => {
    const name = specifier && ts.isStringLiteralLike(specifier) ? specifier.text : UNKNOWN;
    const target = name.startsWith('.') ? posix.join(posix.dirname(file), name).replace(/\.js$/, '.ts') : undefined;
    imports.push({ file, line: lineOf(node), specifier: name, target, typeOnly, onDemand: ts.isCallExpression(node) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node, node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) add(node, node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node)) add(node, ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    else if (ts.isExternalModuleReference(node)) add(node, node.expression, false);
    else if (ts.isCallExpression(node) && isLoad(node.expression)) add(node, node.arguments[0], false);
    else if (ts.isIdentifier(node) && node.text === 'process' && isGlobalUse(node)) processLines.push(lineOf(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { file, imports, processLines };
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(posix.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
}

const isLoad = (callee: ts.Expression) =>
  callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');

/** Whether this `process` is the global, not the name of a member, a method or a key. */
function isGlobalUse(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent))
    return parent.expression === node || /^(globalThis|global)$/.test(parent.expression.getText());
  return !((ts.isClassElement(parent) || ts.isTypeElement(parent) || ts.isPropertyAssignment(parent)) && parent.name === node);
}

function filesUnder(folder: string): string[] {
  if (!existsSync(posix.join(ROOT, folder))) return [];
  return readdirSync(posix.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => posix.join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();
}

const sourceFiles = ['src', ...COMPONENTS].flatMap(filesUnder);
const code = sourceFiles.filter((file) => file.endsWith('.ts')).map(readCode);
const imports = code.flatMap((each) => each.imports);

const layerOf = (file: string): Layer | undefined => LAYERS.find(([pattern]) => pattern.test(file))?.[1];
const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
const isPackage = (each: Import) => each.target === undefined && each.specifier !== UNKNOWN && !isBuiltin(each.specifier);
const at = (each: { readonly file: string; readonly line: number }) => `${each.file}:${each.line}`;

/** Tracked files and those about to be; undefined when this is no checkout of its own (an unpacked archive, or no git). */
const tracked = ((): readonly string[] | undefined => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    if (realpathSync(git('rev-parse', '--show-toplevel').trim()) !== ROOT) return undefined;
    const names = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
    return [...new Set(names)].filter((name) => name !== '' && existsSync(posix.join(ROOT, name)));
  } catch {
    return undefined;
  }
})();

interface Manifest {
  readonly [group: string]: unknown;
}
const readManifest = (file: string): Manifest => JSON.parse(readFileSync(posix.join(ROOT, file), 'utf8'));
const dependencies = (manifest: Manifest, group: string) =>
  Object.entries((manifest[group] ?? {}) as Readonly<Record<string, string>>);

/** An empty list is the passing case; anything else is shown whole. */
function expectNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(['', ...problems].join('\n- '));
}

/* ------------------------------------------------------------------ the rules */

describe('imports', () => {
  it('reads code at all', () => {
    expect(code.length).toBeGreaterThan(0);
    expect(imports.length).toBeGreaterThan(0);
  });

  it('go down the layers only: cli, index, library → registry, settings, engine, run, verify → sources | transforms | sinks → core', () => {
    const problems = imports
      .filter((each) => each.target !== undefined)
      .flatMap((each) => {
        const from = layerOf(each.file)!;
        const to = layerOf(each.target!);
        if (to === from || (to && MAY_IMPORT[from].layers.includes(to))) return [];
        return [`${at(each)} (${from}) imports ${each.target} (${to ?? 'no code folder'}). ${MAY_IMPORT[from].instead}`];
      });
    expectNone(problems);
  });

  it('load on demand what most runs do not need', () => {
    // What the command line itself loads late is what every run needs.
    const loaded = new Set(['src/cli/main.ts', 'src/run.ts', 'src/verify.ts', 'src/index.ts']);
    const problems: string[] = [];
    for (const file of loaded) {
      for (const each of imports) {
        if (each.file !== file || each.typeOnly || each.onDemand) continue;
        if (each.target !== undefined) loaded.add(each.target);
        if (ON_DEMAND.includes(each.target ?? each.specifier))
          problems.push(
            `${at(each)} loads ${each.target ?? each.specifier} with every start: write \`await import\` where it is used.`,
          );
      }
    }
    expectNone(problems);
    expectNone(
      ON_DEMAND.filter((name) => !imports.some((each) => (each.target ?? each.specifier) === name)).map(
        (name) => `${name} is imported nowhere: remove it from ON_DEMAND.`,
      ),
    );
    expect(loaded).toContain('sources/index.ts');
  });

  it('name their module by a constant, so that they can be checked', () => {
    expectNone(
      imports
        .filter((each) => each.specifier === UNKNOWN && !LOADERS.includes(each.file))
        .map((each) => `${at(each)}: write the module as a string literal.`),
    );
  });

  it('keep node: out of what also runs in a browser', () => {
    const problems = imports
      .filter((each) => isBuiltin(each.specifier) && BROWSER_LAYERS.includes(layerOf(each.file)!))
      .filter(
        (each) =>
          !NODE_EXCEPTIONS.some(
            (rule) =>
              rule.file === each.file && (rule.module ?? each.specifier) === each.specifier && (each.typeOnly || !rule.typeOnly),
          ),
      )
      .map(
        (each) =>
          `${at(each)} imports ${each.specifier}: the core and transforms/ also run in a browser. Take it from the World (src/world.ts), or move the code to sources/, sinks/ or src/node.ts.`,
      );
    expectNone(problems);
  });

  it('leave streams to src/pipeline.ts, and files and the process to the World', () => {
    const problems = imports.flatMap((each) =>
      NODE_OWNERS.filter((rule) => rule.module.test(each.specifier) && !rule.files.test(each.file))
        .filter(() => !(each.typeOnly && each.file === 'src/world.ts'))
        .map((rule) => `${at(each)} imports ${each.specifier}. ${rule.instead}`),
    );
    expectNone(problems);
  });

  it('and the global process is used in src/cli/ and src/node.ts only', () => {
    const problems = code
      .filter((each) => !PROCESS_FILES.test(each.file))
      .flatMap((each) =>
        each.processLines.map(
          (line) => `${each.file}:${line} uses process: take what it needs as a parameter or from the World (src/world.ts).`,
        ),
      );
    expectNone(problems);
  });
});

describe('packages', () => {
  const manifest = readManifest('package.json');
  const shipped = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((group) =>
    dependencies(manifest, group).map(([name]) => name),
  );

  it('each have an owner', () => {
    const homeless = shipped.filter((name) => OWNERS[name] === undefined);
    expectNone([
      ...homeless.map(
        (name) =>
          `package.json depends on ${name}, which has no owner: name the one file that may import it in OWNERS (test/architecture.test.ts).`,
      ),
      ...Object.keys(OWNERS)
        .filter((name) => !shipped.includes(name))
        .map((name) => `OWNERS names ${name}, which package.json does not depend on: remove the row.`),
    ]);
  });

  it('are imported by their owner only', () => {
    const problems = imports
      .filter((each) => isPackage(each) && OWNERS[packageOf(each.specifier)] !== each.file)
      .map((each) => {
        const owner = OWNERS[packageOf(each.specifier)];
        return owner
          ? `${at(each)} imports ${each.specifier}, which ${owner} owns: let ${owner} export what you need.`
          : `${at(each)} imports ${each.specifier}, which has no owner: add it to dependencies, pinned, and name its one file in OWNERS (test/architecture.test.ts).`;
      });
    expectNone(problems);
  });

  it('are pinned exactly', () => {
    // A peer is the user's to choose, so peerDependencies keep ranges.
    const manifests = (tracked ?? ['package.json']).filter((file) => posix.basename(file) === 'package.json');
    const problems = manifests.flatMap((file) =>
      ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((group) =>
        dependencies(readManifest(file), group)
          .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
          .map(
            ([name, version]) =>
              `${file}: ${name} is "${version}" in ${group}: write one exact version (npm install --save-exact).`,
          ),
      ),
    );
    expectNone(problems);
  });
});

describe('tests', () => {
  const mirror = (file: string) => `test/${file.replace(/\.ts$/, '.test.ts')}`;
  const missing = (file: string) => !existsSync(posix.join(ROOT, mirror(file)));
  const components = code
    .map((each) => each.file)
    .filter((file) => /^(sources|transforms|sinks)\//.test(file) && posix.basename(file) !== 'index.ts');

  it('stand at the mirrored path for every component and every file of the core', () => {
    const core = code.map((each) => each.file).filter((file) => /^src\/([^/]+|(tokens|s3)\/.+)$/.test(file));
    expectNone(
      [...components, ...core]
        .filter((file) => missing(file) && UNTESTED[file] === undefined)
        .map((file) => `${file} has no test: write ${mirror(file)}.`),
    );
  });

  it('call a conformance function for every component', () => {
    const problems = components
      .filter((file) => SUPPORT[file] === undefined && !missing(file) && !callsConformance(mirror(file)))
      .map(
        (file) =>
          `${mirror(file)} calls nothing imported from test/conformance/: call the laws for ${file} there. If ${file} is no component but support for others, name it with the reason in SUPPORT (test/architecture.test.ts).`,
      );
    expectNone(problems);
  });

  it('are excused for files that exist and lack them, with a reason', () => {
    const excuses = [...Object.entries(SUPPORT), ...Object.entries(UNTESTED)];
    expectNone([
      ...excuses
        .filter(([file]) => !sourceFiles.includes(file))
        .map(([file]) => `${file} is excused in test/architecture.test.ts but does not exist: remove the row.`),
      ...excuses.filter(([, reason]) => reason.trim() === '').map(([file]) => `${file} is excused without a reason.`),
      ...Object.keys(UNTESTED)
        .filter((file) => sourceFiles.includes(file) && !missing(file))
        .map((file) => `${file} has a test now: remove its row from UNTESTED (test/architecture.test.ts).`),
    ]);
  });
});

/** Whether the test calls (or passes on) a name that it imports from test/conformance/. */
function callsConformance(file: string): boolean {
  const source = parse(file);
  const names = new Set<string>();
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const target = posix.join(posix.dirname(file), statement.moduleSpecifier.text);
    const clause = statement.importClause;
    if (!target.startsWith('test/conformance/') || !clause || clause.phaseModifier === ts.SyntaxKind.TypeKeyword) continue;
    const bindings = clause.namedBindings;
    if (clause.name) names.add(clause.name.text);
    if (bindings && ts.isNamespaceImport(bindings)) names.add(bindings.name.text);
    if (bindings && ts.isNamedImports(bindings))
      for (const each of bindings.elements) if (!each.isTypeOnly) names.add(each.name.text);
  }
  let called = false;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.expression : node.expression;
      if (ts.isIdentifier(callee) && names.has(callee.text)) called = true;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return called;
}

describe('names', () => {
  it('say what a file is, not that it holds things', () => {
    const files = [...sourceFiles, ...['test', 'samples'].flatMap(filesUnder)];
    const problems = files
      .filter((file) =>
        file.split('/').some((part) =>
          part
            .replace(/([a-z])([A-Z])/g, '$1-$2')
            .split(/[-_.]/)
            .some((word) => BANNED_NAMES.test(word)),
        ),
      )
      .map(
        (file) =>
          `${file}: name it after what it provides (utils, helpers, common, manager and base say nothing); one noun, one file.`,
      );
    expectNone(problems);
  });
});

describe.skipIf(tracked === undefined)('the repository', () => {
  const files = tracked ?? [];

  it('has a fixed top level', () => {
    const strangers = [...new Set(files.map((file) => file.split('/', 1)[0]!))].filter((name) => !TOP_LEVEL.includes(name));
    const place =
      'The top level is fixed. Code goes to src/, sources/, transforms/ or sinks/, tests and benchmarks to test/, inputs to samples/, scripts of the build to .ci/, prose to README.md or ARCHITECTURE.md; output of tools to .gitignore.';
    expectNone(strangers.map((name) => `${name}: ${place}`));
  });

  it('names no machine: no registry, no home folder, no checkout', () => {
    const home = homedir();
    const patterns = [...MACHINE_TEXT];
    if (home.split('/').length > 2) patterns.push([new RegExp(`${home.replace(/[^\w/]/g, '\\$&')}\\b`), 'your home folder']);
    const problems = files.flatMap((file) => {
      const text = readFileSync(posix.join(ROOT, file), 'latin1');
      return patterns.flatMap(([pattern, what]) => {
        const found = pattern.exec(text);
        if (!found) return [];
        const line = text.slice(0, found.index).split('\n').length;
        return [`${file}:${line} names ${what} ("${found[0]}"): use a relative path, an option or an environment variable.`];
      });
    });
    expectNone(problems);
  });

  it('keeps the lock file free of hosts', () => {
    const lines = readFileSync(posix.join(ROOT, 'package-lock.json'), 'utf8').split('\n');
    const found = lines.findIndex((line) => /"resolved":\s*"\w+:/.test(line));
    expectNone(
      found < 0
        ? []
        : [
            `package-lock.json:${found + 1} says where a package was fetched: run npm install --package-lock-only --omit-lockfile-registry-resolved.`,
          ],
    );
  });
});
