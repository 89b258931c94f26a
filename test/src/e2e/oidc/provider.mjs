/**
 * An OpenID provider that asks nobody for a password: the cookie `account` of the browser says who signs in. It prints
 * its issuer; the first line of its standard input is the only redirect URI that it knows.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import Provider from 'oidc-provider';

const ACCOUNTS = {
  alice: { name: 'Alice', email: 'alice@example.com', email_verified: true },
  bob: { name: 'Bob', email: 'bob@example.com', email_verified: true, groups: ['auditors', 'others'] },
  // Says to be Alice by her address.
  mallory: { name: 'Mallory', email: 'alice@example.com', email_verified: false, groups: ['others'] },
  root: { name: 'Root', email: 'root@example.com', email_verified: true },
};

let answer;
const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;
process.stdout.write(`${issuer}\n`);
const [redirect] = await once(createInterface({ input: process.stdin }), 'line');

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'console',
      client_secret: 'the secret of the console',
      redirect_uris: [redirect],
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
  ],
  claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
  // Puts the claims into the ID token, as most providers do.
  conformIdTokenClaims: false,
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...ACCOUNTS[id] }) }),
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  cookies: { keys: ['for tests'] },
});
const protocol = provider.callback();

async function interact(request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    const [, accountId] = /(?:^|; )account=(\w+)/.exec(request.headers.cookie) ?? [];
    await provider.interactionFinished(request, response, { login: { accountId } });
    return;
  }
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  const result = { consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

answer = (request, response) =>
  request.url.startsWith('/interaction/') ? interact(request, response) : protocol(request, response);
process.stdout.write('ready\n');
