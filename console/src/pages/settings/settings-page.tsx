import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/session.js';
import { text } from '../../text/english.js';
import { intoView } from '../../ui/into-view.js';
import layout from '../../ui/layout.module.css';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { AccessRules } from './access-rules.js';
import { Credentials } from './credentials.js';
import { Sessions } from './sessions.js';
import { SignInSettings } from './sign-in-settings.js';
import { Tenants } from './tenants.js';

/** API keys, OAuth clients, access rules, who is signed in and how, and the tenants. */
export function SettingsPage() {
  const search = usePageSearch();
  const mayGuard = useMay('credentials');
  const isOperator = useMay('operator');
  const areas = [
    'keys',
    'clients',
    'rules',
    'sessions',
    ...(mayGuard ? (['signIn'] as const) : []),
    ...(isOperator ? (['tenants'] as const) : []),
  ] as const;
  const area = areas.find((one) => one === search.area) ?? 'keys';
  return (
    <>
      <PageHeader title={text.settings.title} />
      <nav aria-label={text.settings.areas} className={layout.tabs}>
        {areas.map((one) => (
          <Link
            key={one}
            to="/settings"
            search={{ area: one }}
            aria-current={one === area ? 'page' : undefined}
            ref={one === area ? intoView : null}
          >
            {text.settings.area[one]}
          </Link>
        ))}
      </nav>
      {area === 'keys' && <Credentials key="keys" kind="api_key" />}
      {area === 'clients' && <Credentials key="clients" kind="oauth_client" />}
      {area === 'rules' && <AccessRules />}
      {area === 'sessions' && <Sessions />}
      {area === 'signIn' && <SignInSettings />}
      {area === 'tenants' && <Tenants />}
    </>
  );
}
