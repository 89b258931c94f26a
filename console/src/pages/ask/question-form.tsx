import { type FormEvent, useRef, useState } from 'react';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { Field, TextField } from '../../ui/field.js';
import { RecordField } from '../../ui/record-field.js';
import styles from './ask-page.module.css';
import { faultsOf, JSON_FIELDS, type QuestionFields } from './question.js';
import { typesInQuestion, withPaths } from './with-paths.js';

/** The question, filled in. What is not valid is said once it is asked. */
export function QuestionForm({ asked, onAsk }: { asked: QuestionFields; onAsk: (asked: QuestionFields) => void }) {
  const [filled, setFilled] = useState(asked);
  const [tried, setTried] = useState(false);
  const shown = useRef(filled);
  shown.current = filled;
  const faults = tried ? faultsOf(filled) : {};
  const fault = (field: keyof QuestionFields) => {
    const found = faults[field];
    return typeof found === 'object' ? text.ask.unread(filled[field], found.because) : found && text.ask.faults[found];
  };
  const change = (field: keyof QuestionFields) => (value: string) => setFilled({ ...filled, [field]: value });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const question = withPaths(filled, await knownTypes(typesInQuestion(filled)));
    // Somebody has gone on typing while the service was asked.
    if (shown.current !== filled) return;
    setFilled(question);
    if (Object.keys(faultsOf(question)).length === 0) onAsk(question);
  };
  const { mode } = filled;
  const more = [...JSON_FIELDS, 'roles', 'at'] as const;
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <RecordField
        label={mode === 'who' ? text.ask.subjectType : text.ask.subject}
        kind={mode === 'who' ? 'subject_type' : 'subject'}
        hint={mode === 'who' ? text.ask.subjectTypeHint : text.ask.subjectHint}
        value={filled.subject}
        onChange={change('subject')}
        fault={fault('subject')}
      />
      <TextField
        label={text.ask.action}
        hint={mode === 'what' ? text.ask.anyActionHint : text.ask.actionHint}
        value={filled.action}
        onChange={change('action')}
        fault={fault('action')}
      />
      <RecordField
        label={mode === 'what' ? text.ask.resourceType : text.ask.resource}
        kind={mode === 'what' ? 'resource_type' : 'resource'}
        hint={mode === 'what' ? text.ask.resourceTypeHint : text.ask.resourceHint}
        value={filled.resource}
        onChange={change('resource')}
        fault={fault('resource')}
      />
      <details className={styles.more} open={more.some((field) => asked[field] !== '')}>
        <summary>{text.ask.more}</summary>
        <div className={styles.fields}>
          {JSON_FIELDS.map((field) => (
            <Field key={field} label={text.ask[field]} hint={text.ask.jsonHints[field]} fault={fault(field)}>
              {(attributes) => (
                <textarea
                  {...attributes}
                  rows={2}
                  spellCheck={false}
                  value={filled[field]}
                  onChange={({ target }) => change(field)(target.value)}
                />
              )}
            </Field>
          ))}
          <TextField label={text.ask.roles} hint={text.ask.rolesHint} value={filled.roles} onChange={change('roles')} />
          <TextField label={text.ask.at} hint={text.ask.atHint} value={filled.at} onChange={change('at')} />
        </div>
      </details>
      <Button kind="primary" type="submit">
        {text.ask.ask}
      </Button>
    </form>
  );
}

/** Those of these names, or paths, of resource types that the tenant has; undefined where the service does not say. */
async function knownTypes(names: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  if (names.length === 0) return undefined;
  const types = client.records('resource_type');
  const isKnown = async (name: string) => {
    const { items } = await types.page(name.includes('/') ? { address: `resource_type/${name}` } : { name }, {
      limit: 1,
    });
    return items.length > 0;
  };
  try {
    const known = await Promise.all(names.map(isKnown));
    return new Set(names.filter((_, at) => known[at]));
  } catch {
    return undefined;
  }
}
