import type { AuditEntry } from '@authz-service/sdk/wire';
import { text } from '../text/english.js';
import styles from './actor.module.css';

/** Who made a commit. A person's name is what the provider calls them, which may be anything: issuer and subject stand beside it. */
export function Actor({ by: { kind, id, name } }: { by: AuditEntry['credential'] }) {
  return (
    <span title={id}>
      <strong>{name}</strong>{' '}
      <span className={styles.kind}>
        ({text.history.actorKinds[kind] ?? kind}
        {kind === 'person' && ` ${id}`})
      </span>
    </span>
  );
}
