/**
 * The endpoints where machines of AWS get their keys from: the metadata service of an instance (IMDSv2), the
 * one of a container, and STS for a web identity. Each answer has a new session token.
 */
import type { S3Place } from "../stores/s3-server.ts";

export interface CredentialEndpoints extends AsyncDisposable {
  /** Variables that point the credential chain to each endpoint, and to nothing else. */
  variables: Record<"instance" | "container" | "web identity" | "none", Record<string, string>>;
  /** The session tokens that were issued, in order. */
  tokens: string[];
  /** Answers nothing from now on. */
  hang(): void;
}

const sessionToken = "metadata session";
const authorization = "container authorization";
const webIdentity = "a web identity token";

/** @param lifetimes of the keys, in seconds: of the first answer, the second, and all later ones */
export async function startCredentialEndpoints(
  { accessKeyId, secretAccessKey }: Pick<S3Place, "accessKeyId" | "secretAccessKey">,
  lifetimes: number[],
  tokenFile: string,
): Promise<CredentialEndpoints> {
  const tokens: string[] = [];
  let isHanging = false;
  const issue = () => {
    const seconds = lifetimes[Math.min(tokens.length, lifetimes.length - 1)] as number;
    const Token = `token/number+${tokens.length + 1}=`;
    tokens.push(Token);
    const Expiration = new Date(Date.now() + seconds * 1000).toISOString();
    return { Code: "Success", AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token, Expiration };
  };
  const denied = new Response(null, { status: 401 });
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === "/latest/api/token" && request.method === "PUT")
      return new Response(request.headers.has("x-aws-ec2-metadata-token-ttl-seconds") ? sessionToken : null);
    if (pathname === "/container")
      return request.headers.get("authorization") === authorization ? Response.json(issue()) : denied;
    if (request.method === "POST") return webIdentityAnswer(await request.text());
    if (request.headers.get("x-aws-ec2-metadata-token") !== sessionToken) return denied;
    if (pathname === "/latest/meta-data/iam/security-credentials/") return new Response("svc-role");
    if (pathname === "/latest/meta-data/iam/security-credentials/svc-role") return Response.json(issue());
    return new Response(null, { status: 404 });
  };
  const webIdentityAnswer = (body: string): Response => {
    const parameters = new URLSearchParams(body);
    if (parameters.get("WebIdentityToken") !== webIdentity) return denied;
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = issue();
    const credentials = `<AccessKeyId>${AccessKeyId}</AccessKeyId><SecretAccessKey>${SecretAccessKey}</SecretAccessKey><SessionToken>${Token}</SessionToken><Expiration>${Expiration}</Expiration>`;
    return new Response(
      `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>${credentials}</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      { headers: { "content-type": "text/xml" } },
    );
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    idleTimeout: 0,
    fetch: (request) => (isHanging ? new Promise<Response>(() => {}) : answer(request)),
  });
  await Bun.write(tokenFile, webIdentity);
  const origin = `http://127.0.0.1:${server.port}`;
  const none = { AWS_CONFIG_FILE: "/dev/null", AWS_SHARED_CREDENTIALS_FILE: "/dev/null" };
  return {
    variables: {
      instance: { ...none, AWS_EC2_METADATA_SERVICE_ENDPOINT: origin },
      container: {
        ...none,
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/container`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: authorization,
      },
      "web identity": {
        ...none,
        AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/svc",
        AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
        AWS_ENDPOINT_URL_STS: origin,
      },
      none: { ...none, AWS_EC2_METADATA_DISABLED: "true" },
    },
    tokens,
    hang: () => void (isHanging = true),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}
