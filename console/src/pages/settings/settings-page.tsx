import { Link } from '@tanstack/react-router';
import { text } from '../../text/english.js';
import layout from '../../ui/layout.module.css';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { Credentials } from './credentials.js';
import { Sessions } from './sessions.js';

const AREAS = ['keys', 'clients', 'sessions'] as const;

/** API keys, OAuth clients, and who is signed in. */
export function SettingsPage() {
  const search = usePageSearch();
  const area = AREAS.find((one) => one === search.area) ?? 'keys';
  return (
    <>
      <PageHeader title={text.settings.title} />
      <nav aria-label={text.settings.areas} className={layout.tabs}>
        {AREAS.map((one) => (
          <Link key={one} to="/settings" search={{ area: one }} aria-current={one === area ? 'page' : undefined}>
            {text.settings.area[one]}
          </Link>
        ))}
      </nav>
      {area === 'keys' && <Credentials key="keys" kind="api_key" />}
      {area === 'clients' && <Credentials key="clients" kind="oauth_client" />}
      {area === 'sessions' && <Sessions />}
    </>
  );
}
