import type { Address, RecordOrigin } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { text } from '../text/english.js';
import styles from './record-origin.module.css';

/** As many as the service answers at once. */
const ADDRESSES_MAX = 1000;

/** Returns the places of those of these records whose place is known; undefined until the answer has come. */
export function useOrigins(addresses: readonly Address[]): ReadonlyMap<Address, RecordOrigin> | undefined {
  const asked = addresses.slice(0, ADDRESSES_MAX);
  const { data } = useQuery({
    queryKey: ['origins', ...asked],
    queryFn: ({ signal }) => client.origins(asked, { signal }),
    enabled: asked.length > 0,
  });
  return data && new Map(data.map((origin) => [origin.address, origin]));
}

/** `acme/access at tenant/roles.yaml:14, commit abc1234567`, with a link where there is a page of it. */
export function Origin({ of }: { of: RecordOrigin }) {
  const [where, state] = [text.origin.where(of), text.origin.state(of)];
  const shown = where === '' ? state : where;
  return (
    <span className={styles.origin}>
      {of.link?.startsWith('https://') ? (
        <a href={of.link} rel="noreferrer noopener" target="_blank" title={of.link}>
          {shown}
        </a>
      ) : (
        shown
      )}
      {where !== '' && state !== undefined && `, ${state}`}
    </span>
  );
}
