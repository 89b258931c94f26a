/** Nothing may be fetched: the Go SDK stands on the standard library alone. */
export const goEnv = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOWORK: 'off' };
