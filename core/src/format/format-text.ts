import { type Document, isScalar, Lexer, parseAllDocuments, type ScalarTag, type TagId, type Tags, visit } from 'yaml';
import { stringifyString } from 'yaml/util';
import { plainEnds, withEndsOf } from '../manifest/line-ends.js';
import { WIDTH } from '../manifest/yaml-text.js';
import { equalJson } from '../state/equal-json.js';
import { KEY_ORDERS } from './key-order.js';
import { layOut } from './lay-out.js';

export type FileKind = keyof typeof KEY_ORDERS;

const FILLING = ' null';
/** Characters behind a key in which its colon is looked for. */
const COLON_WITHIN = 1000;

const PARSING = { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const;

/**
 * The text of a file of a tree in one style. The text must be YAML. Returns undefined where the style would change what it
 * says, or a comment would be lost: then it must stay as it is.
 */
export function formatText(text: string, kind: FileKind): string | undefined {
  const plain = plainEnds(text);
  const first = laidOut(plain, kind);
  if (first === plain) return text;
  // Comments at the end of a mapping that moves find their place in the second round.
  const formatted = laidOut(first, kind);
  if (formatted !== first && laidOut(formatted, kind) !== formatted) return undefined;
  if (!isSame(plain, formatted)) return undefined;
  return withEndsOf(text, formatted);
}

function laidOut(text: string, kind: FileKind): string {
  const { filled, ends } = withNulls(text);
  const documents = documentsOf(filled);
  if (documents.length === 0) return text;
  for (const document of documents) {
    visit(document, {
      Scalar: (_, scalar) => {
        if (ends.has(scalar.range?.[1] ?? -1)) scalar.source = '';
      },
    });
    layOut(document, KEY_ORDERS[kind], filled);
  }
  return written(documents);
}

function documentsOf(text: string): Document[] {
  const documents = parseAllDocuments(text, { ...PARSING, customTags });
  return 'empty' in documents ? [] : (documents as Document[]);
}

/**
 * The text with `null` behind keys that have no value, and the places after these: the parser takes comments that follow an
 * empty value for its own, on whatever line they are.
 */
function withNulls(text: string): { filled: string; ends: ReadonlySet<number> } {
  const places: number[] = [];
  for (const document of documentsOf(text))
    visit(document, {
      Pair: (_, { key, value }) => {
        if (!isScalar(key) || !isScalar(value) || value.source !== '' || !key.range) return;
        if (value.type !== 'PLAIN' || value.anchor !== undefined || value.tag !== undefined) return;
        const colon = /^\s*:/.exec(text.slice(key.range[1], key.range[1] + COLON_WITHIN));
        if (colon !== null) places.push(key.range[1] + colon[0].length);
      },
    });
  let at = 0;
  let filled = '';
  const ends = new Set<number>();
  for (const place of places.sort((left, right) => left - right)) {
    filled += text.slice(at, place) + FILLING;
    at = place;
    ends.add(filled.length);
  }
  return { filled: filled + text.slice(at), ends };
}

function written(documents: readonly Document[]): string {
  return documents
    .map((document) => {
      const text = document.toString({ lineWidth: 0 });
      // A document without contents has an empty line in their place.
      return isScalar(document.contents) && document.contents.value === null ? text.replace(/\n{2,}/g, '\n') : text;
    })
    .join('');
}

/** Writes plain scalars as their source says, and folds long texts. */
function customTags(tags: Tags): Tags {
  return tags.map((tag: TagId | Tags[number]) => {
    if (typeof tag === 'string' || 'collection' in tag) return tag;
    const writing: ScalarTag['stringify'] = (item, context, ...hears) =>
      item.type === 'PLAIN' || item.type === undefined
        ? (item.source ?? '')
        : stringifyString(
            item as never,
            { ...context, options: { ...context.options, lineWidth: WIDTH } } as never,
            ...hears,
          );
    return { ...(tag as ScalarTag), stringify: writing };
  });
}

/** Whether two texts have the same values, in mappings of any order, and the same comments. */
function isSame(before: string, after: string): boolean {
  const values = (text: string) =>
    documentsOf(text).map((document) =>
      document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: -1 }),
    );
  const [left, right] = [values(before), values(after)];
  return !right.includes(undefined) && equalJson(left, right) && equalJson(commentsOf(before), commentsOf(after));
}

/** The lexeme before the text of a scalar. */
const SCALAR = '\u001f';

/** The comments of a text, sorted. */
export function commentsOf(text: string): string[] {
  const comments: string[] = [];
  let last = '';
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('#') && last !== SCALAR) comments.push(lexeme.trimEnd());
    last = lexeme;
  }
  return comments.sort();
}
