import type { Kind } from '@authz-service/sdk/wire';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { SearchPage } from '../api/answers.js';
import { client } from '../api/client.js';
import { TextField } from './field.js';
import { pathOf } from './record-link.js';

interface Props {
  label: string;
  kind: Kind;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  fault?: string | undefined;
}

/** Takes the path of a record, and suggests the first ones, or those that are found by what is typed. What no record names is fine, too. */
export function RecordField({ kind, value, ...props }: Props) {
  const list = useId();
  const { data } = useQuery({
    queryKey: ['suggest', kind, value],
    queryFn: async ({ signal }) => {
      if (value.trim() !== '') return await client.search({ q: value, kind, limit: 10 }, signal);
      const first = await client.records(kind).page({}, { limit: 10, signal });
      return first as unknown as SearchPage;
    },
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <TextField {...props} value={value} list={list} />
      <datalist id={list}>
        {data?.items.map(({ address, name }) => (
          <option key={address} value={pathOf(address)} label={name === undefined ? undefined : String(name)} />
        ))}
      </datalist>
    </>
  );
}
