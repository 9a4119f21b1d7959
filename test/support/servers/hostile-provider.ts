/** An OpenID Connect provider that answers what a test asks of it, true or not. */
import { createHmac, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";

type Claims = Record<string, unknown>;

export interface HostileProvider extends AsyncDisposable {
  issuer: string;
  /** Changes the ID token of the next sign-in: its claims, its header, and how it is signed. */
  token: { claims?: Claims; header?: Claims; sign?: (input: string) => string };
  /** What the endpoint of user info says. */
  userInfo: Claims;
  /** Changes the discovery document. */
  document: Claims;
  /** What the token endpoint got. */
  redeemed: URLSearchParams[];
  /** The provider signs with another key from now on. */
  rotate(): void;
  /** The code and state of an authorization request, as the provider sends them back. */
  answer(authorization: string, extra?: Record<string, string>): URLSearchParams;
}

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

export function startHostileProvider(): HostileProvider {
  const makeKey = (kid: string) => ({ kid, ...generateKeyPairSync("rsa", { modulusLength: 2048 }) });
  let key = makeKey("1");
  const codes = new Map<string, { nonce: string; challenge: string }>();
  const state: Omit<HostileProvider, "issuer" | "answer" | "rotate" | typeof Symbol.asyncDispose> = {
    token: {},
    userInfo: { sub: "mallory", preferred_username: "mallory", groups: ["staff"] },
    document: {},
    redeemed: [],
  };
  const signed = (privateKey: KeyObject) => (input: string) =>
    createSign("RSA-SHA256").update(input).sign(privateKey).toString("base64url");
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      "/.well-known/openid-configuration": () =>
        Response.json({
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/me`,
          jwks_uri: `${issuer}/keys`,
          authorization_response_iss_parameter_supported: true,
          id_token_signing_alg_values_supported: ["RS256"],
          ...state.document,
        }),
      "/keys": () =>
        Response.json({
          keys: [{ ...key.publicKey.export({ format: "jwk" }), kid: key.kid, alg: "RS256", use: "sig" }],
        }),
      "/me": () => Response.json(state.userInfo),
      "/token": async (request) => {
        const form = new URLSearchParams(await request.text());
        state.redeemed.push(form);
        const code = codes.get(form.get("code") ?? "");
        codes.delete(form.get("code") ?? "");
        const challenge = new Bun.CryptoHasher("sha256")
          .update(form.get("code_verifier") ?? "")
          .digest("base64url");
        if (!code || code.challenge !== challenge)
          return Response.json({ error: "invalid_grant" }, { status: 400 });
        const now = Math.floor(Date.now() / 1000);
        const claims = {
          ...{ iss: issuer, sub: "mallory", aud: "svc", iat: now, exp: now + 300, nonce: code.nonce },
          ...state.token.claims,
        };
        const header = { alg: "RS256", kid: key.kid, ...state.token.header };
        const input = `${base64url(header)}.${base64url(claims)}`;
        const id_token = `${input}.${(state.token.sign ?? signed(key.privateKey))(input)}`;
        return Response.json({ access_token: "opaque", token_type: "Bearer", expires_in: 300, id_token });
      },
    },
  });
  const issuer: string = server.url.origin;
  return Object.assign(state, {
    issuer,
    rotate: () => {
      key = makeKey(`${Number(key.kid) + 1}`);
    },
    answer(authorization: string, extra: Record<string, string> = {}) {
      const asked = new URL(authorization).searchParams;
      const code = crypto.randomUUID();
      codes.set(code, { nonce: asked.get("nonce") ?? "", challenge: asked.get("code_challenge") ?? "" });
      return new URLSearchParams({ code, state: asked.get("state") ?? "", iss: issuer, ...extra });
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  });
}

/** Signs with the public key of a provider as if it were a shared secret. */
export const hmacWith = (secret: string) => (input: string) =>
  createHmac("sha256", secret).update(input).digest("base64url");
