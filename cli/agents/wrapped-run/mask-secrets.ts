/** Masks secrets in the last lines of a command before they are sent. */
import { cleanLine } from "../../../src/core/lib/strings/clean-text.ts";

type Env = Record<string, string | undefined>;

/** Variables whose values are no secrets, and stand in many lines. */
const publicNames =
  /^(PATH|HOME|PWD|OLDPWD|SHELL|TERM|COLORTERM|LANG|LC_\w+|USER|LOGNAME|HOSTNAME|TMPDIR|EDITOR|PAGER|_)$/;
const valueLengthMin = 6;
const mask = "•••";

/** What secrets look like, wherever they come from. */
const forms: [RegExp, string][] = [
  [/(\b\w+:\/\/)[^\s/@]+@/g, `$1${mask}@`],
  [/\b(bearer|basic|token)([ :=]+)\S{6,}/gi, `$1$2${mask}`],
  [/\b([\w-]*(?:passw(?:or)?d|secret|token|api[_-]?key|credential)[\w-]*["']?\s*[:=]\s*)\S+/gi, `$1${mask}`],
  [/\b(?:svc|gh[a-z]|github_pat|glpat|sk|pk|rk|xox[a-z]|npm|hf)[-_][\w-]{10,}/g, mask],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, mask],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, mask],
];

/**
 * Replaces the values of environment variables and what looks like a secret.
 * @param env the environment of the command
 */
export function maskSecrets(text: string, env: Env): string {
  const values = Object.entries(env)
    .flatMap(([name, value]) => (value !== undefined && !publicNames.test(name) ? [value] : []))
    .flatMap((value) => [value, ...value.split("\n")])
    .filter((value) => value.length >= valueLengthMin)
    .toSorted((a, b) => b.length - a.length);
  const withoutValues = values.reduce((masked, value) => masked.replaceAll(value, mask), text);
  return forms.reduce((masked, [form, replacement]) => masked.replace(form, replacement), withoutValues);
}

/** The last lines as one, without secrets and control characters, at most `bytesMax` bytes. */
export function lastLines(text: string, env: Env, { linesMax, bytesMax }: LineLimits): string {
  const lines = maskSecrets(Bun.stripANSI(text), env)
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== "")
    .slice(-linesMax);
  // The last line says most: from the first ones it is cut.
  while (lines.length > 1 && Buffer.byteLength(lines.join(separator)) > bytesMax) lines.shift();
  return cleanLine(lines.join(separator), bytesMax);
}

const separator = " / ";

interface LineLimits {
  linesMax: number;
  bytesMax: number;
}
