/** Shows text without the tokens in it: a terminal is seen, shared, and recorded. */

/** What is left of a token: enough to tell two apart. */
const start = (token: string): string => `${token.length > 16 ? token.slice(0, 8) : ""}…`;

const svcToken = /\bsvc_\w{40}\b/g;
/** In a header, and in the path that telemetry goes to. References to variables are no tokens. */
const sentToken = /(\b(?:Bearer|Basic)(?: |%20)|\/api\/otlp\/t\/)([^\s"'\\/${}…]{6,})(?!…)/g;
/** Of other programs, in settings next to those of svc. */
const namedSecret =
  /((?:token|secret|password|api_?key)[\w-]*["']?\s*[:=]\s*["'])([^\s"'\\${}…]{12,})(?=["'])/gi;

/** The text with all but the start of each token removed. */
export const withoutTokens = (text: string): string =>
  text
    .replace(svcToken, start)
    .replace(sentToken, (_, before: string, token: string) => before + start(token))
    .replace(namedSecret, (_, before: string, secret: string) => before + start(secret));
