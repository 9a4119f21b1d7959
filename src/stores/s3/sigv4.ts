/** AWS Signature Version 4: in a header for the service's own requests, in the query for presigned URLs. */
import { encodeSegment } from "../keys.ts";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  region: string;
}

/** Query and headers unencoded, the path percent-encoded; header names in lower case. */
export interface UnsignedRequest {
  method: string;
  origin: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
}

const algorithm = "AWS4-HMAC-SHA256";

/** Returns the request headers with the authorization header and the hash of the body. */
export function signHeaders(
  request: UnsignedRequest,
  bodySha256: string,
  credentials: Credentials,
  at: Date,
): Record<string, string> {
  const { time, scope } = credentialScope(credentials, at);
  const headers: Record<string, string> = {
    ...request.headers,
    "x-amz-content-sha256": bodySha256,
    "x-amz-date": time,
  };
  if (credentials.sessionToken) headers["x-amz-security-token"] = credentials.sessionToken;
  const signed = { ...headers, host: new URL(request.origin).host };
  const signature = sign({ ...request, headers: signed }, bodySha256, credentials, time, scope);
  const credential = `${credentials.accessKeyId}/${scope}`;
  return {
    ...headers,
    authorization: `${algorithm} Credential=${credential}, SignedHeaders=${signedHeaderNames(signed)}, Signature=${signature}`,
  };
}

/** Returns a presigned URL that is valid for `expiresSeconds` with exactly these headers. */
export function signUrl(
  request: UnsignedRequest,
  expiresSeconds: number,
  credentials: Credentials,
  at: Date,
): string {
  const { time, scope } = credentialScope(credentials, at);
  const headers = { ...request.headers, host: new URL(request.origin).host };
  const query: Record<string, string> = {
    ...request.query,
    "X-Amz-Algorithm": algorithm,
    "X-Amz-Credential": `${credentials.accessKeyId}/${scope}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(expiresSeconds),
    "X-Amz-SignedHeaders": signedHeaderNames(headers),
  };
  if (credentials.sessionToken) query["X-Amz-Security-Token"] = credentials.sessionToken;
  const signature = sign({ ...request, query, headers }, "UNSIGNED-PAYLOAD", credentials, time, scope);
  return `${request.origin}${request.path}?${canonicalQuery({ ...query, "X-Amz-Signature": signature })}`;
}

/** Returns the canonical query string: percent-encoded and sorted, as it is signed. */
export const canonicalQuery = (query: Record<string, string>): string =>
  Object.entries(query)
    .map(([name, value]) => [encodeSegment(name), encodeSegment(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map((pair) => pair.join("="))
    .join("&");

function credentialScope({ region }: Credentials, at: Date) {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, "");
  return { time, scope: `${time.slice(0, 8)}/${region}/s3/aws4_request` };
}

const signedHeaderNames = (headers: Record<string, string>): string => Object.keys(headers).sort().join(";");

function sign(
  request: UnsignedRequest,
  bodySha256: string,
  { secretAccessKey }: Credentials,
  time: string,
  scope: string,
): string {
  const { method, path, query, headers } = request;
  const lines = Object.keys(headers)
    .sort()
    .map((name) => `${name}:${(headers[name] as string).trim()}\n`);
  const canonical = [
    method,
    path,
    canonicalQuery(query),
    lines.join(""),
    signedHeaderNames(headers),
    bodySha256,
  ].join("\n");
  const key = scope
    .split("/")
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  return hmac(key, [algorithm, time, scope, sha256(canonical)].join("\n")).toString("hex");
}

const hmac = (key: string | Buffer, text: string): Buffer =>
  new Bun.CryptoHasher("sha256", key).update(text).digest();

export const sha256 = (bytes: string | Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
