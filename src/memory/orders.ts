/**
 * Words in a decision that give orders to the agents who will read it: a person who confirms it should see
 * them first. They are shown, never removed: a decision may well quote them.
 */

const subjects = "instructions?|rules?|prompts?|directives?|guidelines?|decisions?|messages?";

const orders: readonly RegExp[] = [
  // "Ignore all previous instructions"
  new RegExp(`\\b(?:ignore|disregard|forget|override|bypass)\\b[^.\\n]{0,40}\\b(?:${subjects})\\b`, "i"),
  /\b(?:you are now|act as|pretend to be|from now on you)\b[^.\n]{0,40}/i,
  /\b(?:do not|don't|never) (?:tell|inform|show|mention (?:this|it) to)\b[^.\n]{0,30}\b(?:user|person|people|human|reviewer|anyone)s?\b/i,
  /<\/?(?:system|assistant|instructions?)>/i,
  /\bsystem prompt\b/i,
  /\b(?:run|execute) (?:this|the following|these)\b[^.\n]{0,40}/i,
  // A command that fetches, deletes, or runs something.
  /(?:^|[\s`$>|;&])(?:sudo|curl|wget|rm -[a-z]*[rf]|chmod|npx|(?:ba|z)?sh -c|eval|base64 -d|powershell)\s[^\n`]{1,60}/im,
];

/** The first words that read like an order to agents; null without one. */
export function orderIn(text: string): string | null {
  const found = orders.flatMap((pattern) => pattern.exec(text) ?? []);
  const [first] = found.toSorted((a, b) => text.indexOf(a) - text.indexOf(b));
  return first?.trim() ?? null;
}
