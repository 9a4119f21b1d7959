/**
 * Sends unsent reviews if the desk is left before its scripts have run. A classic script in the head, as
 * modules wait for the end of the page.
 */
import { queueReady, sendAll } from "./pending-reviews.js";

addEventListener("pagehide", sendAll);
document.addEventListener(queueReady, () => removeEventListener("pagehide", sendAll));
