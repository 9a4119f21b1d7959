/** What the page of a share says after a form was sent, named in its URL. */

/** Query parameter that names the form. */
export const doneParameter = "done";

const notices: Record<string, string> = {
  verdict: "Thank you. Your review was recorded.",
  comment: "Thank you. Your comment was recorded.",
};

export function noticeOf({ searchParams }: URL): { notice?: string } {
  const done = searchParams.get(doneParameter) ?? "";
  const notice = Object.hasOwn(notices, done) ? notices[done] : undefined;
  return notice === undefined ? {} : { notice };
}
