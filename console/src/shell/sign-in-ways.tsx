import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { comeBackHere } from '../api/come-back.js';
import { text } from '../text/english.js';
import { ProblemNote } from '../ui/problem-note.js';
import styles from './sign-in-ways.module.css';

/** How one signs in at this cloud; in a new tab where this one holds what somebody has typed. */
export function SignInWays({ newTab = false }: { newTab?: boolean }) {
  const ways = useQuery({ queryKey: ['sign-in'], queryFn: ({ signal }) => client.signInWays({ signal }) });
  if (ways.error) return <ProblemNote error={ways.error} retry={() => ways.refetch()} />;
  if (ways.data === undefined) return <p role="status">{text.common.loading}</p>;
  const { link, oidc } = ways.data;
  return (
    <div className={styles.ways}>
      {oidc && (
        <a
          className={styles.provider}
          href="/console/oidc"
          {...(newTab ? { target: '_blank' } : { onClick: comeBackHere })}
        >
          {text.signIn.withProvider}
        </a>
      )}
      {oidc && newTab && <p>{text.session.newTab}</p>}
      {link && (
        <p>
          {text.signIn.withLink} <code>servicectl console</code>
        </p>
      )}
      {!link && !oidc && <p>{text.signIn.noWay}</p>}
    </div>
  );
}
