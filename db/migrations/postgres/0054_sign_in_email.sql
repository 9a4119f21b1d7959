-- the email address that a new link can be sent to once the session of a sign-in link has expired
alter table sign_in_links add column email text;
--> statement-breakpoint
alter table sessions add column email text;
