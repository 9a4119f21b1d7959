/** How each service answers: some say 200 for an error, some say in the body how long to wait. */
import type { Answer } from "../../destination/answer.ts";
import type { Outcome } from "../format.ts";

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

function parseObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** @param seconds as a service says it, in JSON */
const retryAfter = (seconds: unknown): Pick<Outcome, "retryAfterMs"> =>
  typeof seconds === "number" && seconds >= 0 ? { retryAfterMs: Math.ceil(seconds * 1000) } : {};

const outcome = (ok: boolean, isPermanent: boolean, wait: Pick<Outcome, "retryAfterMs"> = {}): Outcome => ({
  ok,
  ...wait,
  ...(!ok && isPermanent && { isPermanent }),
});

/** Errors of https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks that a retry meets again. */
const slackGone =
  /^(no_service|no_service_id|no_team|no_active_hooks|invalid_token|channel_not_found|channel_is_archived|team_disabled)$/;

/** Success is 200 with the text `ok`. */
export const slackOutcome = (answer: Answer): Outcome => {
  const text = answer.body.trim();
  return outcome(isSuccess(answer) && text === "ok", slackGone.test(text));
};

/** 10015: unknown webhook; 50027: invalid webhook token. */
export const discordOutcome = (answer: Answer): Outcome => {
  const { code, retry_after } = parseObject(answer.body);
  return outcome(isSuccess(answer), code === 10015 || code === 50027, retryAfter(retry_after));
};

/** Error codes of Logic Apps, which workflows run on. */
export const teamsOutcome = (answer: Answer): Outcome => {
  const { error } = parseObject(answer.body);
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return outcome(isSuccess(answer), code === "WorkflowNotFound");
};

/** Success is 200 with the text `ok`. */
export const mattermostOutcome = (answer: Answer): Outcome => {
  const { id } = parseObject(answer.body);
  return outcome(
    isSuccess(answer) && answer.body.trim() === "ok",
    id === "web.incoming_webhook.invalid.app_error",
  );
};

/**
 * A bot that was blocked, a deleted chat, or a revoked token. `migrate_to_chat_id` is the new id of a group:
 * the URL of the webhook has to change.
 */
export const telegramOutcome = (answer: Answer): Outcome => {
  const { ok, error_code, description, parameters } = parseObject(answer.body);
  const more = typeof parameters === "object" && parameters !== null ? { ...parameters } : {};
  const { retry_after, migrate_to_chat_id }: { retry_after?: unknown; migrate_to_chat_id?: unknown } = more;
  const isGone =
    error_code === 401 ||
    error_code === 403 ||
    error_code === 404 ||
    migrate_to_chat_id !== undefined ||
    (typeof description === "string" && /chat not found/i.test(description));
  return outcome(isSuccess(answer) && ok === true, isGone, retryAfter(retry_after));
};

export const ntfyOutcome = (answer: Answer): Outcome => outcome(isSuccess(answer), false);
