import type { Kind } from '@authz-service/sdk/wire';
import { type FormEvent, useState } from 'react';
import { text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { Field, TextField } from '../../ui/field.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordField } from '../../ui/record-field.js';
import type { FieldSchema } from './field-schema.js';
import { useRecordSchema } from './record-schemas.js';
import { sketchOf } from './sketch.js';

interface Props {
  kind: Kind;
  /** The fields of a record that is changed. */
  fields?: Record<string, unknown>;
  onDone: (fields: Record<string, unknown>) => void;
  onCancel: () => void;
}

/** Texts that people type, by field: texts, lists with one item a line, and JSON for what has parts. */
type Typed = Record<string, string>;

/** A form for a record of any kind, made from the reference of its fields. */
export function RecordForm({ kind, fields = {}, onDone, onCancel }: Props) {
  const schema = useRecordSchema(kind);
  const [typed, setTyped] = useState<Typed>({});
  const [faults, setFaults] = useState<Record<string, string>>({});
  if (schema.error) return <ProblemNote error={schema.error} retry={() => schema.refetch()} />;
  if (schema.data === undefined) return <p role="status">{text.common.loading}</p>;
  const { required, fields: all } = schema.data;
  const textOf = (name: string, field: FieldSchema) => typed[name] ?? shown(fields[name], field);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found: Record<string, string> = {};
    const result: Record<string, unknown> = {};
    for (const [name, field] of all) {
      const value = textOf(name, field).trim();
      if (value === '') {
        if (required.includes(name)) found[name] = text.change.needed;
        continue;
      }
      const held = parsed(value, field);
      if (held === undefined) found[name] = text.change.wrong[shapeOf(field)];
      else result[name] = held;
    }
    setFaults(found);
    if (Object.keys(found).length === 0) onDone(result);
  };
  return (
    <form className={layout.form} onSubmit={submit} noValidate>
      {all.map(([name, field]) => (
        <SchemaField
          key={name}
          name={name}
          field={field}
          value={textOf(name, field)}
          fault={faults[name]}
          onChange={(value) => setTyped({ ...typed, [name]: value })}
        />
      ))}
      <div className={`${layout.buttons} ${layout.foot}`}>
        <Button onPress={onCancel}>{text.common.cancel}</Button>
        <Button kind="primary" type="submit">
          {text.change.toDraft}
        </Button>
      </div>
    </form>
  );
}

interface FieldProps {
  name: string;
  field: FieldSchema;
  value: string;
  fault: string | undefined;
  onChange: (value: string) => void;
}

/** The kinds of records that fields of these names mention. */
const MENTIONS: Readonly<Record<string, Kind>> = {
  application: 'application',
  role: 'role',
  policy: 'policy',
  group: 'group',
  resource: 'resource',
  resource_type: 'resource_type',
};

function SchemaField({ name, field, value, fault, onChange }: FieldProps) {
  const label = name.replaceAll('_', ' ');
  const hint = field.description?.replaceAll('`', '');
  const mentions = MENTIONS[name];
  const shape = shapeOf(field);
  if (mentions !== undefined && shape === 'text')
    return (
      <RecordField kind={mentions} label={label} hint={hint ?? ''} value={value} fault={fault} onChange={onChange} />
    );
  if (shape === 'choice')
    return (
      <Field label={label} hint={hint} fault={fault}>
        {(attributes) => (
          <select {...attributes} value={value} onChange={({ target }) => onChange(target.value)}>
            <option value="">{text.change.notSet}</option>
            {choicesOf(field).map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        )}
      </Field>
    );
  if (shape === 'text' || shape === 'number')
    return <TextField label={label} hint={hint} value={value} fault={fault} onChange={onChange} />;
  return (
    <Field label={label} hint={`${hint ?? ''} ${howWritten(field)}`} fault={fault}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={shape === 'list' ? 2 : 3}
          spellCheck={false}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

function howWritten(field: FieldSchema): string {
  return shapeOf(field) === 'json' ? text.change.jsonOf(sketchOf(field)) : text.change.shapes.list;
}

type Shape = 'text' | 'number' | 'choice' | 'list' | 'json';

function shapeOf({ type, enum: choices, items }: FieldSchema): Shape {
  if (choices !== undefined || type === 'boolean') return 'choice';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array' && items?.type === 'string') return 'list';
  return type === 'string' ? 'text' : 'json';
}

function choicesOf({ enum: choices }: FieldSchema): string[] {
  return choices ?? ['true', 'false'];
}

function shown(value: unknown, field: FieldSchema): string {
  if (value === undefined) return '';
  const shape = shapeOf(field);
  if (shape === 'list' && Array.isArray(value)) return value.join('\n');
  return shape === 'json' ? JSON.stringify(value, undefined, 2) : String(value);
}

/** Undefined for what is not of the field's shape. */
function parsed(typed: string, field: FieldSchema): unknown {
  const shape = shapeOf(field);
  if (shape === 'choice' && field.type === 'boolean') return typed === 'true';
  if (shape === 'number') return /^-?\d+$/.test(typed) ? Number(typed) : undefined;
  if (shape === 'list')
    return typed
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  if (shape !== 'json') return typed;
  try {
    return JSON.parse(typed);
  } catch {
    return undefined;
  }
}
