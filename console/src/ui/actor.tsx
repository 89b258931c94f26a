import type { AuditEntry } from '@authz-service/sdk/wire';
import { text } from '../text/english.js';
import styles from './actor.module.css';

interface Props {
  by: AuditEntry['credential'];
  /** Shows the id, too: a person's name is what the provider calls them, which may be anything. */
  full?: boolean;
}

/** Who made a commit, by name; the id is told to whoever points at it. */
export function Actor({ by: { kind, id, name }, full = false }: Props) {
  return (
    <span title={id}>
      <strong>{name}</strong>{' '}
      <span className={styles.kind}>
        ({text.history.actorKinds[kind] ?? kind}
        {full && ` ${id}`})
      </span>
    </span>
  );
}
