/** What people call a kind of credential. */
export const CREDENTIAL_NOUNS = { api_key: 'API key', oauth_client: 'OAuth client' } as const;
