import type { MadeRecord, Scope } from '@authz-service/sdk/wire';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client } from '../../api/client.js';
import { queryClient } from '../../api/query-client.js';
import { useSession } from '../../api/session.js';
import { text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import type { CredentialKind } from './credentials.js';
import { type Made, MadeSecret } from './made-secret.js';
import styles from './settings-page.module.css';

const SCOPES = Object.keys(text.settings.scope) as (keyof typeof text.settings.scope)[];

/** Makes an API key or an OAuth client, and shows its secret once. */
export function NewCredential({ kind, onClose }: { kind: CredentialKind; onClose: () => void }) {
  const held = useSession().scopes;
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Scope[]>(kind === 'api_key' ? ['decisions'] : []);
  const [expires, setExpires] = useState('');
  const [stacks, setStacks] = useState('');
  const [applications, setApplications] = useState('');
  const [tried, setTried] = useState(false);
  const writes = scopes.some((scope) => scope === 'records:write' || scope === 'credentials');
  const past = expires !== '' && !(Date.parse(expires) > Date.now());
  const make = useMutation({
    mutationFn: () => {
      const limits = { ...listed('stacks', stacks), ...listed('applications', applications) };
      const fields = {
        name: name.trim(),
        scopes,
        ...(Object.keys(limits).length > 0 && { limits }),
        ...(expires !== '' && { expires_at: new Date(expires).toISOString() }),
      };
      return client.records(kind).create(fields) as Promise<MadeRecord<CredentialKind>>;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['records', kind] }),
  });
  if (make.data !== undefined && hasSecret(make.data)) return <MadeSecret made={make.data} onClose={onClose} />;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (name.trim() !== '' && scopes.length > 0 && !past) make.mutate();
  };
  return (
    <Dialog title={text.settings.make[kind]} onClose={onClose}>
      <form className={layout.form} onSubmit={submit} noValidate>
        <TextField
          label={text.settings.name}
          hint={text.settings.nameHint}
          value={name}
          onChange={setName}
          fault={tried && name.trim() === '' ? text.settings.nameNeeded : undefined}
        />
        <fieldset className={styles.scopes}>
          <legend>{text.settings.scopes}</legend>
          {SCOPES.filter((scope) => held.includes(scope)).map((scope) => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={({ target }) =>
                  setScopes(target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
                }
              />
              <span>
                {text.settings.scope[scope]} <code>{scope}</code>
              </span>
            </label>
          ))}
          {tried && scopes.length === 0 && <p className={styles.fault}>{text.settings.scopeNeeded}</p>}
          {!writes && <p className={layout.hint}>{text.settings.unlimitedHint}</p>}
        </fieldset>
        {kind === 'api_key' && (
          <TextField
            type="datetime-local"
            label={text.settings.expires}
            hint={text.settings.expiresHint}
            value={expires}
            onChange={setExpires}
            fault={tried && past ? text.settings.timeWrong : undefined}
          />
        )}
        {writes && (
          <fieldset className={styles.limits}>
            <legend>{text.settings.limitsTitle}</legend>
            <TextField
              label={text.settings.stacks}
              hint={text.settings.stacksHint}
              value={stacks}
              onChange={setStacks}
            />
            <TextField
              label={text.settings.applications}
              hint={text.settings.applicationsHint}
              value={applications}
              onChange={setApplications}
            />
          </fieldset>
        )}
        {make.error && <ProblemNote error={make.error} />}
        <div className={`${layout.buttons} ${layout.foot}`}>
          <Button onPress={onClose}>{text.common.cancel}</Button>
          <Button kind="primary" type="submit" isDisabled={make.isPending}>
            {text.settings.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** All but clients that name a person, which no form makes. */
function hasSecret(made: MadeRecord<CredentialKind>): made is MadeRecord<CredentialKind> & Made {
  return 'secret' in made || made.client_secret !== undefined;
}

function listed(name: 'stacks' | 'applications', words: string): Record<string, string[]> {
  const names = words
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  return names.length === 0 ? {} : { [name]: names };
}
