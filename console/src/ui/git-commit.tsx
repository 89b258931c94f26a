import { provenanceText } from '@authz-service/core/origin/provenance-text';
import type { AuditEntry, CommitSource } from '@authz-service/sdk/wire';
import { origin } from '../text/origin.js';
import { Origin } from './record-origin.js';
import styles from './record-origin.module.css';

/** The commit in Git that a revision came from, and who stands behind it, where whoever applied it said so. */
/** `pull request 214 by ann, approved by bob and eve`, with a link to its page where that is known. */
export function GivenBy({ of, before = '' }: { of: CommitSource & { pull_request_link?: string }; before?: string }) {
  const said = provenanceText(of);
  if (said === '') return null;
  const { pull_request_link: link } = of;
  return (
    <>
      {before}
      {link?.startsWith('https://') ? (
        <a href={link} rel="noreferrer noopener" target="_blank" title={link}>
          {said}
        </a>
      ) : (
        said
      )}
    </>
  );
}

export function GitCommit({ of: { source } }: { of: AuditEntry }) {
  if (source === undefined) return null;
  const isKnown = source.repository !== undefined || source.commit !== undefined;
  return (
    <span className={styles.git}>
      {isKnown && `${origin.from} `}
      <Origin of={{ address: '', ...source }} />
      <GivenBy of={source} before={isKnown ? ', ' : ''} />
    </span>
  );
}
