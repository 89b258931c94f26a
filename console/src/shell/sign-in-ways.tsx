import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { text } from '../text/english.js';
import { ProblemNote } from '../ui/problem-note.js';
import styles from './sign-in-ways.module.css';

/** How one signs in at this cloud. */
export function SignInWays() {
  const ways = useQuery({ queryKey: ['sign-in'], queryFn: ({ signal }) => client.signInWays({ signal }) });
  if (ways.error) return <ProblemNote error={ways.error} retry={() => ways.refetch()} />;
  if (ways.data === undefined) return <p role="status">{text.common.loading}</p>;
  const { link, oidc } = ways.data;
  return (
    <div className={styles.ways}>
      {oidc && (
        <a className={styles.provider} href="/console/oidc">
          {text.signIn.withProvider}
        </a>
      )}
      {link && (
        <p>
          {text.signIn.withLink} <code>service console</code>
        </p>
      )}
      {!link && !oidc && <p>{text.signIn.noWay}</p>}
    </div>
  );
}
