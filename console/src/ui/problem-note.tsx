import { ServiceError } from '@authz-service/sdk/service-error';
import { text } from '../text/english.js';
import { Button } from './button.js';
import styles from './problem-note.module.css';

/** Why something failed, in the service's words, with what helps to find it in the log. */
export function ProblemNote({ error, retry }: { error: Error; retry?: (() => void) | undefined }) {
  const known = error instanceof ServiceError ? error : undefined;
  return (
    <div className={styles.note} role="alert">
      <p className={styles.title}>{known?.code === 'forbidden' ? text.errors.notAllowed : text.errors.title}</p>
      <p>{known === undefined ? text.errors.unexpected : known.detail}</p>
      {known !== undefined && known.errors.length > 0 && (
        <ul className={styles.items}>
          {known.errors.map(({ pointer, detail, address }) => (
            <li key={`${pointer} ${detail}`}>
              <code>{address ?? pointer}</code> {detail}
            </li>
          ))}
        </ul>
      )}
      <p className={styles.foot}>
        {known?.requestId !== undefined && (
          <span>
            {text.errors.requestId} <code>{known.requestId}</code>
          </span>
        )}
        {retry !== undefined && (
          <Button small onPress={retry}>
            {text.errors.retry}
          </Button>
        )}
      </p>
    </div>
  );
}
