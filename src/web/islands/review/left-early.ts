/**
 * Sends reviews if the desk or Today is left before its scripts have run. A classic script in the head, as
 * modules wait for the end of the page.
 */
import { queueReady, sendAll } from "./pending-reviews.js";

/** Sends the form of a review by a request that goes on when the tab is closed, and shows its answer. */
async function sendForm(event: SubmitEvent): Promise<void> {
  const form = event.target as HTMLFormElement;
  if (!/^\/assets\/\w+\/review$/.test(new URL(form.action).pathname)) return;
  event.preventDefault();
  // safe because: the form has no files
  const fields = [...new FormData(form, event.submitter)] as [string, string][];
  const sent = { method: "POST", body: new URLSearchParams(fields), keepalive: true };
  const response = await fetch(form.action, sent).catch(() => null);
  if (response?.ok) return location.assign(response.url);
  // The browser shows what is wrong with it.
  removeEventListener("submit", send);
  form.requestSubmit(event.submitter);
}

const send = (event: Event): void => void sendForm(event as SubmitEvent);
addEventListener("pagehide", sendAll);
addEventListener("submit", send);
document.addEventListener(queueReady, () => {
  removeEventListener("pagehide", sendAll);
  removeEventListener("submit", send);
});
