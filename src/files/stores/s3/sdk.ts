/** The AWS SDK as svc uses it: its client, its signer and its retries. */
import { S3Client } from "@aws-sdk/client-s3";
import { isThrottlingError, isTransientError, StandardRetryStrategy } from "@smithy/core/retry";
import { SignatureV4 } from "@smithy/signature-v4";
import type { S3Location, S3Timeouts } from "./location.ts";
import { sdkHandler } from "./transport.ts";

type RetryErrorInfo = Parameters<StandardRetryStrategy["refreshRetryTokenForRetry"]>[1];
type SdkError = Parameters<typeof isTransientError>[0];

export interface S3Sdk {
  client: S3Client;
  /** Signs with the credentials of the client. */
  signer: SignatureV4;
  /** Retries as the client does, within the same budget. */
  withRetries<T>(attempt: () => Promise<T>): Promise<T>;
}

/** @param now signs requests and presigned URLs with this time */
export function createSdk(location: S3Location, timeouts: S3Timeouts, now: () => Date): S3Sdk {
  const { endpoint, region } = location;
  const retries = new StandardRetryStrategy({ maxAttempts: timeouts.attempts, baseDelay: timeouts.retryMs });
  const client: S3Client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    ...staticCredentials(location),
    signer: async () => ({
      sign: (request, options) => signer.sign(request, { ...options, signingDate: now() }),
    }),
    requestHandler: sdkHandler,
    retryStrategy: retries,
    // The signature covers the SHA-256 of each body. Not every store takes the further checksums of the SDK.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    expectContinueHeader: false,
    disableClockSkewCorrection: true,
  });
  const { credentials, sha256 } = client.config;
  const signer = new SignatureV4({ credentials, region, service: "s3", sha256, uriEscapePath: false });
  return {
    client,
    signer,
    async withRetries(attempt) {
      let token = await retries.acquireInitialRetryToken("");
      for (;;) {
        try {
          const result = await attempt();
          retries.recordSuccess(token);
          return result;
        } catch (error) {
          token = await retries.refreshRetryTokenForRetry(token, retryInfo(error as SdkError)).catch(() => {
            throw error;
          });
        }
      }
    },
  };
}

/** Without an access key: nothing, so that the SDK uses the credential chain. */
function staticCredentials({ accessKeyId, secretAccessKey, sessionToken }: S3Location) {
  if (!accessKeyId || !secretAccessKey) return {};
  return { credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) } };
}

function retryInfo(error: SdkError): RetryErrorInfo {
  if (isThrottlingError(error)) return { error, errorType: "THROTTLING" };
  return { error, errorType: isTransientError(error) ? "TRANSIENT" : "CLIENT_ERROR" };
}
