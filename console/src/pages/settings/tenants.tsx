import type { Tenant } from '@authz-service/sdk/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client } from '../../api/client.js';
import { queryClient } from '../../api/query-client.js';
import { useSession } from '../../api/session.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { DataTable } from '../../ui/data-table.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { When } from '../../ui/when.js';
import { MadeSecret } from './made-secret.js';
import styles from './settings-page.module.css';

const KEY = ['tenants'];
/** A page of the service's; and what of them is listed at once. */
const PAGE_SIZE = 500;
const LISTED_MAX = 50;

const { tenants: words } = text.settings;

/** The tenants of the installation, for operators. */
export function Tenants() {
  const own = useSession().tenant;
  const [sought, setSought] = useState('');
  const [making, setMaking] = useState(false);
  const [removing, setRemoving] = useState<Tenant>();
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const all: Tenant[] = [];
      for await (const tenant of client.tenants.list({ limit: PAGE_SIZE, signal })) all.push(tenant);
      return all;
    },
  });
  const found = (data ?? []).filter(({ name }) => name.includes(sought.trim()));
  const listed = found.slice(0, LISTED_MAX);
  return (
    <>
      <div className={styles.head}>
        <p>{words.hint}</p>
        <Button kind="primary" onPress={() => setMaking(true)}>
          {words.make}
        </Button>
      </div>
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data !== undefined && data.length > LISTED_MAX && (
        <TextField
          label={words.find}
          value={sought}
          onChange={setSought}
          hint={words.shown(listed.length, data.length)}
        />
      )}
      {data !== undefined && (
        <DataTable<Tenant>
          label={text.settings.area.tenants}
          rows={listed}
          keyOf={({ id }) => id}
          columns={[
            {
              title: words.name,
              cell: ({ id, name }) => (
                <>
                  {name} {id === own.id && <Badge tone="good">{words.this}</Badge>}
                </>
              ),
            },
            { title: words.created, cell: ({ created_at }) => <When at={created_at} />, lesser: true },
            {
              title: words.remove,
              cell: (tenant) =>
                tenant.id !== own.id && (
                  <Button small aria-label={`${words.remove}: ${tenant.name}`} onPress={() => setRemoving(tenant)}>
                    {words.remove}
                  </Button>
                ),
            },
          ]}
        />
      )}
      {making && <NewTenant onClose={() => setMaking(false)} />}
      {removing && <Removal tenant={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

function NewTenant({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [tried, setTried] = useState(false);
  const make = useMutation({
    mutationFn: () => client.tenants.create({ name: name.trim() }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
  if (make.data !== undefined)
    return <MadeSecret made={make.data} note={words.made(make.data.name)} onClose={onClose} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (name.trim() !== '') make.mutate();
  };
  return (
    <Dialog title={words.make} keep onClose={onClose}>
      <form className={layout.form} onSubmit={submit} noValidate>
        <TextField
          label={words.name}
          value={name}
          onChange={setName}
          fault={tried && name.trim() === '' ? text.settings.nameNeeded : undefined}
        />
        {make.error && <ProblemNote error={make.error} title={text.errors.notDone} />}
        <div className={layout.buttons}>
          <Button onPress={onClose}>{text.common.cancel}</Button>
          <Button kind="primary" type="submit" isDisabled={make.isPending}>
            {text.settings.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Removal({ tenant: { name }, onClose }: { tenant: Tenant; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [tried, setTried] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.tenants.delete(name),
    onSuccess: onClose,
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (typed === name) remove.mutate();
  };
  return (
    <Dialog title={words.removeTitle(name)} onClose={onClose}>
      <form className={layout.form} onSubmit={submit} noValidate>
        <p>{words.removeWarning}</p>
        <TextField
          label={words.typeName(name)}
          value={typed}
          onChange={setTyped}
          fault={tried && typed !== name ? words.nameDiffers : undefined}
        />
        {remove.error && <ProblemNote error={remove.error} title={text.errors.notDone} />}
        <div className={layout.buttons}>
          <Button onPress={onClose}>{text.common.cancel}</Button>
          <Button kind="danger" type="submit" isDisabled={remove.isPending}>
            {words.remove}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
