/** What every island needs to speak for its page. */

const csrf = (document.querySelector('meta[name="csrf"]') as HTMLMetaElement).content;

/** The service answered, and said no. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
  }
}

/** A call of an operation under `/web`; what is refused is thrown in the words of the service. */
export async function call<T>(method: string, path: string, body?: unknown, keepalive = false): Promise<T> {
  const response = await fetch(`/web${path}`, {
    method,
    keepalive,
    headers: { "x-csrf-token": csrf, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new Refused(response.status, (answer as { detail?: string }).detail ?? response.statusText);
  return answer as T;
}
