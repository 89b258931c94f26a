import { Composer, Lexer, type ParsedNode, Parser, type YAMLError } from 'yaml';
import { linkAliases } from './aliases.js';
import { MAX_DEPTH, MAX_FILE_LENGTH } from './limits.js';
import type { Findings, Source } from './source.js';
import { YamlDocument } from './yaml-document.js';

const COMPOSE_OPTIONS = {
  // Keys are compared in `entries`, which names both places and does not slow down with the square of a map's size.
  uniqueKeys: false,
  prettyErrors: false,
  resolveKnownTags: false,
  logLevel: 'silent',
} as const;

const CONTROL = /(?![\t\n\r\u0085])\p{Cc}/u;

/** What to do about an error of the YAML parser, where its own words do not say. */
const HINTS: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'A value that begins with "*" is an alias in YAML: put it in quotes if the text is meant.',
  BAD_SCALAR_START: 'Put the value in quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'Put a text that holds ": " in quotes.',
  TAB_AS_INDENT: 'Indent with spaces.',
  TAG_RESOLVE_FAILED: 'A value that begins with "!" is a tag in YAML: put it in quotes if the text is meant.',
};

/** Parses one file into its documents, reporting what is not YAML. */
export function parseYaml(source: Source, findings: Findings): YamlDocument[] {
  const refuse = (offset: number, text: string) => {
    findings.fault(source, offset, { label: '' }, text);
    findings.unread.push(source.text);
    return [];
  };
  const { text } = source;
  if (text.length > MAX_FILE_LENGTH) {
    return refuse(0, `The file has ${text.length} characters, more than the ${MAX_FILE_LENGTH} allowed: split it.`);
  }
  const control = text.search(CONTROL);
  if (control >= 0) {
    const code = text.charCodeAt(control).toString(16).toUpperCase().padStart(4, '0');
    return refuse(
      control,
      `The control character U+${code} is not allowed in YAML: remove it, or save the file as UTF-8.`,
    );
  }
  const replaced = text.indexOf('\uFFFD');
  if (replaced >= 0) return refuse(replaced, 'The file is not valid UTF-8: save it as UTF-8.');
  return compose(source, findings);
}

function compose(source: Source, findings: Findings): YamlDocument[] {
  const lexer = new Lexer();
  const parser = new Parser();
  // The parser's own state, which its types keep private.
  const state = parser as unknown as { stack: readonly unknown[]; offset: number };
  const composer = new Composer<ParsedNode>(COMPOSE_OPTIONS);
  const documents: YamlDocument[] = [];
  let whole = true;
  let aliases = false;
  const take = (composed: ReturnType<Composer<ParsedNode>['end']>): void => {
    for (const document of composed) {
      const problems = [...document.errors, ...document.warnings];
      reportSyntax(problems, source, findings);
      const { yaml } = document.directives;
      if (yaml.explicit && yaml.version !== '1.2') {
        const text = `%YAML ${yaml.version} gives words like "yes" another meaning: remove the line, YAML 1.2 is read.`;
        findings.fault(source, 0, { label: '' }, text);
        whole = false;
      } else if (problems.length > 0) {
        whole = false;
      } else {
        const targets = aliases ? linkAliases(document.contents, source, findings) : new Map();
        if (targets === undefined) whole = false;
        else documents.push(new YamlDocument(source, document.contents, targets, findings));
      }
    }
  };
  for (const lexeme of lexer.lex(source.text)) {
    if (lexeme.charCodeAt(0) === 0x2a) aliases = true;
    for (const token of parser.next(lexeme)) take(composer.next(token));
    // The parser and the composer recurse, so depth is bounded before they meet it.
    if (state.stack.length > MAX_DEPTH) {
      const text = `Nested deeper than ${MAX_DEPTH} levels: flatten it.`;
      findings.fault(source, state.offset, { label: '' }, text);
      whole = false;
      break;
    }
  }
  if (whole) {
    for (const token of parser.end()) take(composer.next(token));
    take(composer.end(false, source.text.length));
  }
  if (!whole) findings.unread.push(source.text);
  return documents;
}

/** One fault a line: what follows on the same line is most often the first one's echo. */
function reportSyntax(problems: readonly YAMLError[], source: Source, findings: Findings): void {
  const lines = new Set<number>();
  for (const { code, pos, message } of [...problems].sort((left, right) => left.pos[0] - right.pos[0])) {
    const { line } = source.place(pos[0]);
    if (lines.has(line)) continue;
    lines.add(line);
    const hint = HINTS[code];
    findings.fault(source, pos[0], { label: '' }, hint === undefined ? `${message}.` : `${message}. ${hint}`);
  }
}
