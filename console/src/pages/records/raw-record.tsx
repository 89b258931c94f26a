import { stringify } from 'yaml';
import type { FoundRecord } from '../../api/answers.js';
import { text } from '../../text/english.js';
import { CodeBlock } from '../../ui/code-block.js';
import { declaredFields } from '../../ui/declared-fields.js';

/** The declared fields as YAML, to copy. */
export default function RawRecord({ record }: { record: FoundRecord }) {
  const fields = withoutIds(declaredFields(record));
  return <CodeBlock label={text.records.raw} code={stringify(fields, { lineWidth: 100 })} />;
}

/** Objects within fields have ids beside paths, too. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !(name.endsWith('_id') && name.slice(0, -3) in value));
  return Object.fromEntries(entries.map(([name, held]) => [name, withoutIds(held)]));
}
