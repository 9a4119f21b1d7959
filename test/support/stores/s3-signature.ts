/**
 * Checks AWS Signature Version 4 as a store does. Written from its description, and not from what the program
 * signs with.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** An error in the words of S3. */
export class S3Failure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message = code,
  ) {
    super(message);
  }
}

export interface Account {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

/** What a checked request promised about its body. */
export interface Promised {
  /** A hash in hex, `UNSIGNED-PAYLOAD` or one of the `STREAMING-…` words. */
  body: string;
  chunks: ChunkSigner;
}

/** The signature of each chunk covers that of the one before. */
export type ChunkSigner = (kind: "chunk" | "trailer", bytes: Uint8Array) => string;

const skewMaxMs = 15 * 60_000;
const emptySha256 = hex("");

export function checkSignature(request: Request, account: Account, now: Date): Promised {
  const at = request.url.indexOf("/", "http://".length);
  const [path = "", search = ""] = request.url.slice(at).split("?");
  const query = search
    .split("&")
    .filter(Boolean)
    .map((pair) => [...pair.split("=", 2), ""].slice(0, 2) as [string, string]);
  const parameters = new Map(query.map(([name, value]) => [name, decodeURIComponent(value)]));
  const text = parameters.has("X-Amz-Signature") ? saidInQuery(parameters) : saidInHeader(request.headers);
  const [accessKeyId, day, region, service, end] = text.credential.split("/");
  if (accessKeyId !== account.accessKeyId) throw new S3Failure(403, "InvalidAccessKeyId");
  if (
    region !== account.region ||
    service !== "s3" ||
    end !== "aws4_request" ||
    !text.time.startsWith(`${day}T`)
  )
    throw new S3Failure(400, "AuthorizationHeaderMalformed");
  const madeAt = Date.parse(text.time.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, "$1-$2-$3:$4:$5"));
  if (Number.isNaN(madeAt)) throw new S3Failure(403, "AccessDenied", "bad date");
  if (text.expiresSeconds === null && Math.abs(now.getTime() - madeAt) > skewMaxMs)
    throw new S3Failure(403, "RequestTimeTooSkewed");
  if (text.expiresSeconds !== null && now.getTime() > madeAt + text.expiresSeconds * 1000)
    throw new S3Failure(403, "AccessDenied", "Request has expired");
  for (const name of request.headers.keys())
    if (name.startsWith("x-amz-") && !text.signedHeaders.includes(name))
      throw new S3Failure(403, "AccessDenied", `${name} is not signed`);
  if (!text.signedHeaders.includes("host")) throw new S3Failure(403, "AccessDenied", "host is not signed");

  const canonicalQuery = query
    .filter(([name]) => name !== "X-Amz-Signature")
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  const headerLines = text.signedHeaders.map(
    (name) => `${name}:${(request.headers.get(name) ?? "").trim().replace(/ +/g, " ")}\n`,
  );
  const canonical = [
    request.method,
    path,
    canonicalQuery,
    headerLines.join(""),
    text.signedHeaders.join(";"),
    text.body,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = [day, region, "s3", "aws4_request"].reduce<Buffer | string>(
    (secret, part) => hmac(secret, part as string),
    `AWS4${account.secretAccessKey}`,
  );
  const expected = hmac(key, ["AWS4-HMAC-SHA256", text.time, scope, hex(canonical)].join("\n")).toString(
    "hex",
  );
  if (
    text.signature.length !== expected.length ||
    !timingSafeEqual(Buffer.from(text.signature), Buffer.from(expected))
  )
    throw new S3Failure(403, "SignatureDoesNotMatch");

  let previous = expected;
  const chunks: ChunkSigner = (kind, bytes) => {
    const parts =
      kind === "chunk"
        ? ["AWS4-HMAC-SHA256-PAYLOAD", text.time, scope, previous, emptySha256]
        : ["AWS4-HMAC-SHA256-TRAILER", text.time, scope, previous];
    previous = hmac(key, [...parts, hex(bytes)].join("\n")).toString("hex");
    return previous;
  };
  return { body: text.body, chunks };
}

interface SignedParameters {
  credential: string;
  signedHeaders: string[];
  signature: string;
  time: string;
  expiresSeconds: number | null;
  body: string;
}

function saidInHeader(headers: Headers): SignedParameters {
  const authorization = headers.get("authorization");
  if (!authorization) throw new S3Failure(403, "AccessDenied", "no signature");
  const [, credential, signedHeaders, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const body = headers.get("x-amz-content-sha256");
  const time = headers.get("x-amz-date");
  if (!credential || !signedHeaders || !signature || !time)
    throw new S3Failure(400, "AuthorizationHeaderMalformed");
  if (!body) throw new S3Failure(400, "MissingSecurityHeader", "x-amz-content-sha256");
  return { credential, signedHeaders: signedHeaders.split(";"), signature, time, expiresSeconds: null, body };
}

function saidInQuery(parameters: Map<string, string>): SignedParameters {
  const read = (name: string) => {
    const value = parameters.get(`X-Amz-${name}`);
    if (!value) throw new S3Failure(400, "AuthorizationQueryParametersError", name);
    return value;
  };
  const expiresSeconds = Number(read("Expires"));
  if (read("Algorithm") !== "AWS4-HMAC-SHA256" || !(expiresSeconds >= 1 && expiresSeconds <= 604_800))
    throw new S3Failure(400, "AuthorizationQueryParametersError");
  const signedHeaders = read("SignedHeaders").split(";");
  return {
    ...{ credential: read("Credential"), signedHeaders, signature: read("Signature"), time: read("Date") },
    ...{ expiresSeconds, body: "UNSIGNED-PAYLOAD" },
  };
}

const hmac = (key: Buffer | string, text: string): Buffer => createHmac("sha256", key).update(text).digest();

function hex(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
