import { ServiceError } from '@authz-service/sdk/service-error';
import { text } from '../text/english.js';
import { Button } from './button.js';
import styles from './problem-note.module.css';
import { TimedText } from './timed-text.js';

interface Props {
  error?: Error;
  /** The action that did not work, if it is not to show something. */
  title?: string;
  /** Takes the place of the error's own words. */
  detail?: string;
  retry?: (() => void) | undefined;
}

/** Why something failed, in the service's words, with what helps to find it in the log. */
export function ProblemNote({ error, title = text.errors.title, detail, retry }: Props) {
  const known = error instanceof ServiceError ? error : undefined;
  return (
    <div className={styles.note} role="alert">
      <p className={styles.title}>{known?.code === 'forbidden' ? text.errors.notAllowed : title}</p>
      <p>
        <TimedText text={detail ?? detailOf(known)} />
      </p>
      {known !== undefined && known.errors.length > 0 && (
        <ul className={styles.items}>
          {known.errors.map(({ pointer, detail, address }) => (
            <li key={`${pointer} ${detail}`}>
              <code>{address ?? pointer}</code> <TimedText text={detail} />
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

function detailOf(known: ServiceError | undefined): string {
  if (known === undefined) return text.errors.unexpected;
  return known.code === 'network' || known.code === 'timeout' ? text.errors.noAnswer : known.detail;
}
