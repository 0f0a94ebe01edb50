-- Derived from the files beside it by: python -m db snapshot
-- Never edited, never run: it shows in review what a change does to the database.
-- Functions that require plpython3u are left out, because not every server has them. Of the others
-- the body stands in its own file; its digest here shows that a database would get another one.

CREATE SCHEMA account;

COMMENT ON SCHEMA account IS 'People, their children, and the sessions they are signed in with.';

GRANT USAGE ON SCHEMA account TO pgkb_app;
GRANT USAGE ON SCHEMA account TO pgkb_admin;

CREATE TABLE account.child (
    child_id uuid DEFAULT gen_random_uuid() NOT NULL,
    person_id uuid NOT NULL,
    name text,
    school_urn text,
    postcode text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT child_name_is_short CHECK (((length(name) >= 1) AND (length(name) <= 100)))
);

COMMENT ON COLUMN account.child.child_id IS 'Key.';

COMMENT ON COLUMN account.child.created_at IS 'The first child of a profile is the one added first.';

COMMENT ON COLUMN account.child.name IS 'What the person calls it here, a pseudonym will do; NULL is none.';

COMMENT ON COLUMN account.child.person_id IS 'Whose profile it is on.';

COMMENT ON COLUMN account.child.postcode IS 'Its home, folded.';

COMMENT ON COLUMN account.child.school_urn IS 'Its school.';

COMMENT ON TABLE account.child IS 'A child somebody asks about: only what decides whose rules hold.';

CREATE TABLE account.password (
    person_id uuid NOT NULL,
    hash text NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT password_is_argon2id CHECK ((hash ~ '^\$argon2id\$v=19\$[!-~]{20,250}$'::text))
);

COMMENT ON COLUMN account.password.changed_at IS 'When it was chosen.';

COMMENT ON COLUMN account.password.hash IS 'argon2id with its salt and cost; the password is nowhere.';

COMMENT ON COLUMN account.password.person_id IS 'Whose.';

COMMENT ON TABLE account.password IS 'How a password is known again; apart, so that who may list people may not read it.';

CREATE TABLE account.person (
    person_id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    school_urn text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    disabled_at timestamp with time zone,
    CONSTRAINT person_role_is_known CHECK ((role = ANY (ARRAY['parent'::text, 'professional'::text, 'curator'::text, 'admin'::text])))
);

COMMENT ON COLUMN account.person.created_at IS 'Since when.';

COMMENT ON COLUMN account.person.disabled_at IS 'Since when they may no longer sign in; NULL is allowed.';

COMMENT ON COLUMN account.person.email IS 'Address to sign in with, folded: one spelling, one account.';

COMMENT ON COLUMN account.person.person_id IS 'Key; elsewhere a person is only this.';

COMMENT ON COLUMN account.person.role IS 'parent or professional (ask), curator (decides on content) or admin (everything).';

COMMENT ON COLUMN account.person.school_urn IS 'The school a professional works at.';

COMMENT ON TABLE account.person IS 'Somebody with an account.';

GRANT SELECT ON TABLE account.person TO pgkb_admin;

CREATE TABLE account.refresh_token (
    token_hash bytea NOT NULL,
    session_id uuid NOT NULL,
    issued_at timestamp with time zone DEFAULT now() NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT refresh_token_hash_is_sha256 CHECK ((octet_length(token_hash) = 32))
);

COMMENT ON COLUMN account.refresh_token.issued_at IS 'When it was given out.';

COMMENT ON COLUMN account.refresh_token.session_id IS 'The session it continues.';

COMMENT ON COLUMN account.refresh_token.token_hash IS 'SHA-256 of it; the token is nowhere.';

COMMENT ON COLUMN account.refresh_token.used_at IS 'When it was used; twice is theft.';

COMMENT ON TABLE account.refresh_token IS 'Tokens a session is gone on with, each once.';

CREATE TABLE account.session (
    session_id uuid DEFAULT gen_random_uuid() NOT NULL,
    person_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    revoked_because text,
    CONSTRAINT session_reason_is_known CHECK ((revoked_because = ANY (ARRAY['signed_out'::text, 'signed_out_everywhere'::text, 'token_reused'::text, 'password_changed'::text, 'disabled'::text]))),
    CONSTRAINT session_revoked_for_a_reason CHECK (((revoked_at IS NULL) = (revoked_because IS NULL)))
);

COMMENT ON COLUMN account.session.created_at IS 'When they signed in.';

COMMENT ON COLUMN account.session.expires_at IS 'Nothing of it is good after this instant.';

COMMENT ON COLUMN account.session.person_id IS 'Whose.';

COMMENT ON COLUMN account.session.revoked_at IS 'When it ended before its time.';

COMMENT ON COLUMN account.session.revoked_because IS 'Why.';

COMMENT ON COLUMN account.session.session_id IS 'Key; access tokens carry it.';

COMMENT ON TABLE account.session IS 'One sign-in on one device: the family of the refresh tokens that followed each other.';

GRANT SELECT ON TABLE account.session TO pgkb_admin;

ALTER TABLE ONLY account.child
    ADD CONSTRAINT child_pkey PRIMARY KEY (child_id);

ALTER TABLE ONLY account.password
    ADD CONSTRAINT password_pkey PRIMARY KEY (person_id);

ALTER TABLE ONLY account.person
    ADD CONSTRAINT person_once_per_email UNIQUE (email);

ALTER TABLE ONLY account.person
    ADD CONSTRAINT person_pkey PRIMARY KEY (person_id);

ALTER TABLE ONLY account.refresh_token
    ADD CONSTRAINT refresh_token_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY account.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (session_id);

ALTER TABLE ONLY account.child
    ADD CONSTRAINT child_person_fk FOREIGN KEY (person_id) REFERENCES account.person(person_id) ON DELETE CASCADE;

ALTER TABLE ONLY account.child
    ADD CONSTRAINT child_school_fk FOREIGN KEY (school_urn) REFERENCES place.school(urn);

ALTER TABLE ONLY account.password
    ADD CONSTRAINT password_person_fk FOREIGN KEY (person_id) REFERENCES account.person(person_id) ON DELETE CASCADE;

ALTER TABLE ONLY account.person
    ADD CONSTRAINT person_school_fk FOREIGN KEY (school_urn) REFERENCES place.school(urn);

ALTER TABLE ONLY account.refresh_token
    ADD CONSTRAINT refresh_token_session_fk FOREIGN KEY (session_id) REFERENCES account.session(session_id) ON DELETE CASCADE;

ALTER TABLE ONLY account.session
    ADD CONSTRAINT session_person_fk FOREIGN KEY (person_id) REFERENCES account.person(person_id) ON DELETE CASCADE;

CREATE INDEX child_person_idx ON account.child USING btree (person_id, created_at, child_id);

CREATE INDEX child_school_idx ON account.child USING btree (school_urn) WHERE (school_urn IS NOT NULL);

CREATE INDEX person_admin_idx ON account.person USING btree (person_id) WHERE ((role = 'admin'::text) AND (disabled_at IS NULL));

CREATE INDEX person_created_idx ON account.person USING btree (created_at, person_id);

CREATE INDEX person_school_idx ON account.person USING btree (school_urn) WHERE (school_urn IS NOT NULL);

CREATE INDEX refresh_token_session_idx ON account.refresh_token USING btree (session_id);

CREATE UNIQUE INDEX refresh_token_unused_idx ON account.refresh_token USING btree (session_id) WHERE (used_at IS NULL);

CREATE INDEX session_expires_idx ON account.session USING btree (expires_at);

CREATE INDEX session_person_idx ON account.session USING btree (person_id);

CREATE FUNCTION account.add_child(person_id uuid, name text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e9799ed91edfae7c';

COMMENT ON FUNCTION account.add_child(person_id uuid, name text, school_urn text, postcode text) IS 'Put a child on a profile; returns its id.';

REVOKE ALL ON FUNCTION account.add_child(person_id uuid, name text, school_urn text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.add_child(person_id uuid, name text, school_urn text, postcode text) TO pgkb_app;

CREATE FUNCTION account.add_person(email text, role text, password_hash text, school_urn text DEFAULT NULL::text, actor text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4fbcced9e0b2d950';

COMMENT ON FUNCTION account.add_person(email text, role text, password_hash text, school_urn text, actor text) IS 'Make an account; returns its person.';

REVOKE ALL ON FUNCTION account.add_person(email text, role text, password_hash text, school_urn text, actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.add_person(email text, role text, password_hash text, school_urn text, actor text) TO pgkb_app;
GRANT ALL ON FUNCTION account.add_person(email text, role text, password_hash text, school_urn text, actor text) TO pgkb_admin;

CREATE FUNCTION account.change_child(person_id uuid, child_id uuid, name text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 bdf25cfdbe8ed477';

COMMENT ON FUNCTION account.change_child(person_id uuid, child_id uuid, name text, school_urn text, postcode text) IS 'Put other facts of a child on file: all of them, what is left out is gone.';

REVOKE ALL ON FUNCTION account.change_child(person_id uuid, child_id uuid, name text, school_urn text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.change_child(person_id uuid, child_id uuid, name text, school_urn text, postcode text) TO pgkb_app;

CREATE FUNCTION account.change_password(person_id uuid, verified_hash text, new_hash text, keep_session uuid DEFAULT NULL::uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 60cd013b95093e55';

COMMENT ON FUNCTION account.change_password(person_id uuid, verified_hash text, new_hash text, keep_session uuid) IS 'Somebody takes another password; every other session ends. False when the old one no longer holds.';

REVOKE ALL ON FUNCTION account.change_password(person_id uuid, verified_hash text, new_hash text, keep_session uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION account.change_password(person_id uuid, verified_hash text, new_hash text, keep_session uuid) TO pgkb_app;

CREATE FUNCTION account.check_role(role text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 665bd6970e7d416c';

COMMENT ON FUNCTION account.check_role(role text) IS 'Refuse a role that does not exist.';

REVOKE ALL ON FUNCTION account.check_role(role text) FROM PUBLIC;

CREATE FUNCTION account.child_facts(name text, school_urn text, postcode text) RETURNS account.child
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 c5c9524fa645aee7';

COMMENT ON FUNCTION account.child_facts(name text, school_urn text, postcode text) IS 'The facts of a child as they are kept: trimmed, the postcode folded, the school known.';

REVOKE ALL ON FUNCTION account.child_facts(name text, school_urn text, postcode text) FROM PUBLIC;

CREATE FUNCTION account.end_sessions(person_id uuid, because text, keep uuid DEFAULT NULL::uuid) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 aab94afb2502b6b8';

COMMENT ON FUNCTION account.end_sessions(person_id uuid, because text, keep uuid) IS 'End sessions of a person, all but the one to keep; returns how many.';

REVOKE ALL ON FUNCTION account.end_sessions(person_id uuid, because text, keep uuid) FROM PUBLIC;

CREATE FUNCTION account.find_person(email text) RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1b46402b1583364d';

COMMENT ON FUNCTION account.find_person(email text) IS 'The person of an e-mail address.';

REVOKE ALL ON FUNCTION account.find_person(email text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.find_person(email text) TO pgkb_app;
GRANT ALL ON FUNCTION account.find_person(email text) TO pgkb_admin;

CREATE FUNCTION account.finish_sign_in(person_id uuid, verified_hash text, token_hash bytea, better_hash text DEFAULT NULL::text) RETURNS TABLE(session_id uuid, role text, expires_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 053e0c6b112a50e1';

COMMENT ON FUNCTION account.finish_sign_in(person_id uuid, verified_hash text, token_hash bytea, better_hash text) IS 'Start a session after the password was checked against the hash that still holds; no row when it was wrong, or the person may not sign in.';

REVOKE ALL ON FUNCTION account.finish_sign_in(person_id uuid, verified_hash text, token_hash bytea, better_hash text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.finish_sign_in(person_id uuid, verified_hash text, token_hash bytea, better_hash text) TO pgkb_app;

CREATE FUNCTION account.fold_email(email text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ace1f1a664283bb7';

COMMENT ON FUNCTION account.fold_email(email text) IS 'One spelling of an e-mail address: lower case, without blanks around it.';

REVOKE ALL ON FUNCTION account.fold_email(email text) FROM PUBLIC;

CREATE FUNCTION account.keep_an_admin(person_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9aff80cab813e8c7';

COMMENT ON FUNCTION account.keep_an_admin(person_id uuid) IS 'Refuse to take the last admin away, counted one at a time.';

REVOKE ALL ON FUNCTION account.keep_an_admin(person_id uuid) FROM PUBLIC;

CREATE FUNCTION account.list_children(person_id uuid) RETURNS TABLE(child_id uuid, name text, school_urn text, postcode text)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 797db5129ba2942f';

COMMENT ON FUNCTION account.list_children(person_id uuid) IS 'The children of a person, the one added first at the head.';

REVOKE ALL ON FUNCTION account.list_children(person_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION account.list_children(person_id uuid) TO pgkb_app;

CREATE FUNCTION account.list_people(with_role text DEFAULT NULL::text, with_email text DEFAULT NULL::text, after uuid DEFAULT NULL::uuid, page_size integer DEFAULT 50) RETURNS TABLE(person_id uuid, email text, role text, school_urn text, created_at timestamp with time zone, disabled_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e7e483df8bb624af';

COMMENT ON FUNCTION account.list_people(with_role text, with_email text, after uuid, page_size integer) IS 'People by the age of their accounts, a page at a time: those after the last one seen.';

REVOKE ALL ON FUNCTION account.list_people(with_role text, with_email text, after uuid, page_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION account.list_people(with_role text, with_email text, after uuid, page_size integer) TO pgkb_app;
GRANT ALL ON FUNCTION account.list_people(with_role text, with_email text, after uuid, page_size integer) TO pgkb_admin;

CREATE FUNCTION account.place_of(person_id uuid, child_id uuid DEFAULT NULL::uuid, la text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS TABLE(la_code text, local_authority text, school_urn text, home_la_code text, home_la_name text, source text, notes text[])
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 93c4240a3f623fd9';

COMMENT ON FUNCTION account.place_of(person_id uuid, child_id uuid, la text, postcode text) IS 'Whose rules hold for somebody: resolve_la with what is on the profile, and with the child a conversation is about.';

REVOKE ALL ON FUNCTION account.place_of(person_id uuid, child_id uuid, la text, postcode text) FROM PUBLIC;

CREATE FUNCTION account.profile(person_id uuid) RETURNS TABLE(email text, role text, school_urn text, created_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 00faee6b591277ec';

COMMENT ON FUNCTION account.profile(person_id uuid) IS 'What somebody sees of the own account; no row when it is gone or shut.';

REVOKE ALL ON FUNCTION account.profile(person_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION account.profile(person_id uuid) TO pgkb_app;

CREATE FUNCTION account.purge_sessions(keep interval DEFAULT '30 days'::interval) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b8e1726b516e4aa9';

COMMENT ON FUNCTION account.purge_sessions(keep interval) IS 'Remove the sessions that ended or ran out some while ago, with their tokens; returns how many.';

REVOKE ALL ON FUNCTION account.purge_sessions(keep interval) FROM PUBLIC;

CREATE FUNCTION account.refresh(token_hash bytea, next_hash bytea) RETURNS TABLE(outcome text, session_id uuid, person_id uuid, role text, expires_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 980c05c62170556e';

COMMENT ON FUNCTION account.refresh(token_hash bytea, next_hash bytea) IS 'Go on with a session: give the next refresh token for the last one. A token that comes back later ends its session.';

REVOKE ALL ON FUNCTION account.refresh(token_hash bytea, next_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION account.refresh(token_hash bytea, next_hash bytea) TO pgkb_app;

CREATE FUNCTION account.refuse_closed() RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 a323c541bf451506';

COMMENT ON FUNCTION account.refuse_closed() IS 'Refuse where people do not make accounts of their own.';

REVOKE ALL ON FUNCTION account.refuse_closed() FROM PUBLIC;
GRANT ALL ON FUNCTION account.refuse_closed() TO pgkb_app;

CREATE FUNCTION account.refuse_foreign(person_id uuid, child_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 fe2b0a515c34b286';

COMMENT ON FUNCTION account.refuse_foreign(person_id uuid, child_id uuid) IS 'Refuse a child that is not this persons, as if it did not exist.';

REVOKE ALL ON FUNCTION account.refuse_foreign(person_id uuid, child_id uuid) FROM PUBLIC;

CREATE FUNCTION account.refuse_unknown(person_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 010233e2e36eae28';

COMMENT ON FUNCTION account.refuse_unknown(person_id uuid) IS 'Refuse a person who does not exist; locks the one who does against being forgotten meanwhile.';

REVOKE ALL ON FUNCTION account.refuse_unknown(person_id uuid) FROM PUBLIC;

CREATE FUNCTION account.register(email text, role text, password_hash text, school_urn text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9363263aec5f2314';

COMMENT ON FUNCTION account.register(email text, role text, password_hash text, school_urn text) IS 'Somebody makes an account of their own, after account.start_registration; returns the person.';

REVOKE ALL ON FUNCTION account.register(email text, role text, password_hash text, school_urn text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.register(email text, role text, password_hash text, school_urn text) TO pgkb_app;

CREATE FUNCTION account.remove_child(person_id uuid, child_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2b4de55ccf03e812';

COMMENT ON FUNCTION account.remove_child(person_id uuid, child_id uuid) IS 'Take a child off a profile.';

REVOKE ALL ON FUNCTION account.remove_child(person_id uuid, child_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION account.remove_child(person_id uuid, child_id uuid) TO pgkb_app;

CREATE FUNCTION account.session_role(person_id uuid, session_id uuid) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0d394cc92a4a146f';

COMMENT ON FUNCTION account.session_role(person_id uuid, session_id uuid) IS 'The role of somebody in a session just now; NULL when the session or the person may do nothing any more.';

REVOKE ALL ON FUNCTION account.session_role(person_id uuid, session_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION account.session_role(person_id uuid, session_id uuid) TO pgkb_app;

CREATE FUNCTION account.set_disabled(person_id uuid, disabled boolean, actor text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4d06cbe2e3d3ce0b';

COMMENT ON FUNCTION account.set_disabled(person_id uuid, disabled boolean, actor text) IS 'Shut somebody out, which ends all their sessions, or let them in again.';

REVOKE ALL ON FUNCTION account.set_disabled(person_id uuid, disabled boolean, actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.set_disabled(person_id uuid, disabled boolean, actor text) TO pgkb_app;
GRANT ALL ON FUNCTION account.set_disabled(person_id uuid, disabled boolean, actor text) TO pgkb_admin;

CREATE FUNCTION account.set_password(person_id uuid, new_hash text, actor text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f5418989b8822bde';

COMMENT ON FUNCTION account.set_password(person_id uuid, new_hash text, actor text) IS 'Give somebody a new password; all their sessions end.';

REVOKE ALL ON FUNCTION account.set_password(person_id uuid, new_hash text, actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.set_password(person_id uuid, new_hash text, actor text) TO pgkb_app;
GRANT ALL ON FUNCTION account.set_password(person_id uuid, new_hash text, actor text) TO pgkb_admin;

CREATE FUNCTION account.set_role(person_id uuid, role text, actor text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ce89b269050d6e7b';

COMMENT ON FUNCTION account.set_role(person_id uuid, role text, actor text) IS 'Give somebody another role.';

REVOKE ALL ON FUNCTION account.set_role(person_id uuid, role text, actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.set_role(person_id uuid, role text, actor text) TO pgkb_app;
GRANT ALL ON FUNCTION account.set_role(person_id uuid, role text, actor text) TO pgkb_admin;

CREATE FUNCTION account.set_school(person_id uuid, school_urn text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 390139262c114cf4';

COMMENT ON FUNCTION account.set_school(person_id uuid, school_urn text) IS 'Note the school somebody works at; NULL is none.';

REVOKE ALL ON FUNCTION account.set_school(person_id uuid, school_urn text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.set_school(person_id uuid, school_urn text) TO pgkb_app;

CREATE FUNCTION account.sign_out(token_hash bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 99b1e507a51646ac';

COMMENT ON FUNCTION account.sign_out(token_hash bytea) IS 'End the session of a refresh token; returns whether it was going on.';

REVOKE ALL ON FUNCTION account.sign_out(token_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION account.sign_out(token_hash bytea) TO pgkb_app;

CREATE FUNCTION account.sign_out_everywhere(person_id uuid) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 dc75cf4a11fd2a0f';

COMMENT ON FUNCTION account.sign_out_everywhere(person_id uuid) IS 'End all sessions of a person; returns how many.';

REVOKE ALL ON FUNCTION account.sign_out_everywhere(person_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION account.sign_out_everywhere(person_id uuid) TO pgkb_app;

CREATE FUNCTION account.start_password_check(person_id uuid) RETURNS TABLE(wait interval, password_hash text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 a6bc1642b363a2b7';

COMMENT ON FUNCTION account.start_password_check(person_id uuid) IS 'The hash to check the password of somebody signed in against, or how long to wait; neither when the person is gone.';

REVOKE ALL ON FUNCTION account.start_password_check(person_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION account.start_password_check(person_id uuid) TO pgkb_app;

CREATE FUNCTION account.start_registration(address text) RETURNS interval
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 bed020bd89072c37';

COMMENT ON FUNCTION account.start_registration(address text) IS 'Whether somebody may make an account just now, before a hash is made for it; returns how long to wait, or NULL.';

REVOKE ALL ON FUNCTION account.start_registration(address text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.start_registration(address text) TO pgkb_app;

CREATE FUNCTION account.start_sign_in(email text, address text) RETURNS TABLE(wait interval, person_id uuid, password_hash text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 752873fd14ed9d47';

COMMENT ON FUNCTION account.start_sign_in(email text, address text) IS 'What is needed to check a password for an e-mail address: the person and the hash, neither for an unknown one, or how long to wait.';

REVOKE ALL ON FUNCTION account.start_sign_in(email text, address text) FROM PUBLIC;
GRANT ALL ON FUNCTION account.start_sign_in(email text, address text) TO pgkb_app;

CREATE FUNCTION account.store_password(person_id uuid, password_hash text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0b479ad788b3e68e';

COMMENT ON FUNCTION account.store_password(person_id uuid, password_hash text) IS 'Keep the hash of a new password.';

REVOKE ALL ON FUNCTION account.store_password(person_id uuid, password_hash text) FROM PUBLIC;

CREATE SCHEMA audit;

COMMENT ON SCHEMA audit IS 'Who did what, and what the search could not serve.';

GRANT USAGE ON SCHEMA audit TO pgkb_app;
GRANT USAGE ON SCHEMA audit TO pgkb_ingest;
GRANT USAGE ON SCHEMA audit TO pgkb_admin;

CREATE TABLE audit.event (
    event_id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    actor text DEFAULT SESSION_USER NOT NULL,
    kind text NOT NULL,
    subject text,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    login text DEFAULT SESSION_USER
);

COMMENT ON COLUMN audit.event.actor IS 'Who: the person named by the caller, else the database login.';

COMMENT ON COLUMN audit.event.at IS 'When.';

COMMENT ON COLUMN audit.event.detail IS 'The facts; never the text of a question.';

COMMENT ON COLUMN audit.event.event_id IS 'Key; grows with time.';

COMMENT ON COLUMN audit.event.kind IS 'What, e.g. la_coverage_miss, status_changed, superseded.';

COMMENT ON COLUMN audit.event.login IS 'The database login that did it, whoever the caller says it acts for; NULL of events before it was noted.';

COMMENT ON COLUMN audit.event.subject IS 'What it was done to, e.g. version 12.';

COMMENT ON TABLE audit.event IS 'One row per decision that somebody may have to explain later; never changed.';

GRANT INSERT(actor) ON TABLE audit.event TO pgkb_app;
GRANT INSERT(actor) ON TABLE audit.event TO pgkb_ingest;
GRANT INSERT(actor) ON TABLE audit.event TO pgkb_admin;

GRANT INSERT(detail) ON TABLE audit.event TO pgkb_app;
GRANT INSERT(detail) ON TABLE audit.event TO pgkb_ingest;
GRANT INSERT(detail) ON TABLE audit.event TO pgkb_admin;

GRANT SELECT(event_id) ON TABLE audit.event TO pgkb_app;
GRANT SELECT(event_id) ON TABLE audit.event TO pgkb_ingest;

GRANT INSERT(kind) ON TABLE audit.event TO pgkb_app;
GRANT INSERT(kind) ON TABLE audit.event TO pgkb_ingest;
GRANT INSERT(kind) ON TABLE audit.event TO pgkb_admin;

GRANT INSERT(subject) ON TABLE audit.event TO pgkb_app;
GRANT INSERT(subject) ON TABLE audit.event TO pgkb_ingest;
GRANT INSERT(subject) ON TABLE audit.event TO pgkb_admin;

GRANT SELECT ON TABLE audit.event TO pgkb_admin;

ALTER TABLE audit.event ALTER COLUMN event_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME audit.event_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY audit.event
    ADD CONSTRAINT event_pk PRIMARY KEY (event_id);

CREATE INDEX event_actor_idx ON audit.event USING btree (actor) WHERE (actor ~~ 'person:%'::text);

CREATE INDEX event_kind_at_idx ON audit.event USING btree (kind, at);

CREATE INDEX event_subject_idx ON audit.event USING btree (subject, event_id);

CREATE FUNCTION audit.actor() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b18a881df22961bc';

COMMENT ON FUNCTION audit.actor() IS 'Who acts: the person a client named for this transaction (set local audit.actor = ''Kim''), else the login.';

REVOKE ALL ON FUNCTION audit.actor() FROM PUBLIC;
GRANT ALL ON FUNCTION audit.actor() TO pgkb_app;
GRANT ALL ON FUNCTION audit.actor() TO pgkb_ingest;
GRANT ALL ON FUNCTION audit.actor() TO pgkb_admin;

CREATE FUNCTION audit.forget_person(person_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 235afbbb7cbd1e5e';

COMMENT ON FUNCTION audit.forget_person(person_id uuid) IS 'Make the events about a person, and by one, say nobody''s name; what was decided stays.';

REVOKE ALL ON FUNCTION audit.forget_person(person_id uuid) FROM PUBLIC;

CREATE FUNCTION audit.list_events(kind text DEFAULT NULL::text, subject text DEFAULT NULL::text, actor text DEFAULT NULL::text, before bigint DEFAULT NULL::bigint, page_size integer DEFAULT 50) RETURNS SETOF audit.event
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 7ae184bfa2b6afc9';

COMMENT ON FUNCTION audit.list_events(kind text, subject text, actor text, before bigint, page_size integer) IS 'The events of the audit log, newest first, a page at a time; the next page begins before the last one''s id.';

REVOKE ALL ON FUNCTION audit.list_events(kind text, subject text, actor text, before bigint, page_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION audit.list_events(kind text, subject text, actor text, before bigint, page_size integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION audit.list_events(kind text, subject text, actor text, before bigint, page_size integer) TO pgkb_admin;

CREATE FUNCTION audit.speak_for(actor text, reason text) RETURNS text[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 291eadffac1af172';

COMMENT ON FUNCTION audit.speak_for(actor text, reason text) IS 'Name who acts and why until the transaction ends; returns what was named before, to be given back. NULL leaves what is named.';

REVOKE ALL ON FUNCTION audit.speak_for(actor text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION audit.speak_for(actor text, reason text) TO pgkb_ingest;
GRANT ALL ON FUNCTION audit.speak_for(actor text, reason text) TO pgkb_admin;

CREATE FUNCTION audit.write_event(kind text, subject text, detail jsonb DEFAULT '{}'::jsonb, actor text DEFAULT NULL::text) RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 35bbb4ee8f5b706f';

COMMENT ON FUNCTION audit.write_event(kind text, subject text, detail jsonb, actor text) IS 'Note who did what to what and why; never the text of a question.';

REVOKE ALL ON FUNCTION audit.write_event(kind text, subject text, detail jsonb, actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION audit.write_event(kind text, subject text, detail jsonb, actor text) TO pgkb_app;
GRANT ALL ON FUNCTION audit.write_event(kind text, subject text, detail jsonb, actor text) TO pgkb_ingest;
GRANT ALL ON FUNCTION audit.write_event(kind text, subject text, detail jsonb, actor text) TO pgkb_admin;

CREATE SCHEMA chat;

COMMENT ON SCHEMA chat IS 'Conversations: what was asked and answered, and on what it rested.';

GRANT USAGE ON SCHEMA chat TO pgkb_app;
GRANT USAGE ON SCHEMA chat TO pgkb_ingest;
GRANT USAGE ON SCHEMA chat TO pgkb_admin;

CREATE TABLE chat.conversation (
    conversation_id uuid DEFAULT gen_random_uuid() NOT NULL,
    person_id uuid,
    child_id uuid,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    last_turn_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON COLUMN chat.conversation.child_id IS 'The child it is about, where one was named.';

COMMENT ON COLUMN chat.conversation.conversation_id IS 'Not guessable: who has no account goes on with a conversation by knowing it.';

COMMENT ON COLUMN chat.conversation.last_turn_at IS 'When its last question was asked.';

COMMENT ON COLUMN chat.conversation.person_id IS 'Whose it is; NULL when nobody had signed in.';

COMMENT ON COLUMN chat.conversation.started_at IS 'When its first question was asked.';

COMMENT ON TABLE chat.conversation IS 'Questions asked after another; each may lean on those before.';

CREATE TABLE chat.source (
    turn_id bigint NOT NULL,
    number integer NOT NULL,
    chunk_id bigint NOT NULL,
    is_cited boolean NOT NULL,
    CONSTRAINT source_number_positive CHECK ((number > 0))
);

COMMENT ON COLUMN chat.source.chunk_id IS 'The passage; corpus.chunk has its text.';

COMMENT ON COLUMN chat.source.is_cited IS 'Whether the answer cites it.';

COMMENT ON COLUMN chat.source.number IS 'What [number] in the answer points at.';

COMMENT ON COLUMN chat.source.turn_id IS 'The answer it belongs to.';

COMMENT ON TABLE chat.source IS 'The numbered sources of an answer. No foreign key: a passage may go, the turn says what it was.';

GRANT SELECT ON TABLE chat.source TO pgkb_admin;

CREATE TABLE chat.trace (
    turn_id bigint NOT NULL,
    model text,
    search_mode text,
    degraded text[] DEFAULT '{}'::text[] NOT NULL,
    searches integer DEFAULT 0 NOT NULL,
    sources integer DEFAULT 0 NOT NULL,
    cited integer DEFAULT 0 NOT NULL,
    dropped_citations integer DEFAULT 0 NOT NULL,
    sentences integer DEFAULT 0 NOT NULL,
    unsupported_sentences integer DEFAULT 0 NOT NULL,
    prompt_tokens integer,
    completion_tokens integer,
    timings jsonb DEFAULT '{}'::jsonb NOT NULL
);

COMMENT ON COLUMN chat.trace.cited IS 'Sources it cites.';

COMMENT ON COLUMN chat.trace.completion_tokens IS 'As the model''s service counted them.';

COMMENT ON COLUMN chat.trace.degraded IS 'What did not work: embedding_failed, model_failed, model_stopped, rewrite_failed, rerank_failed, not_kept.';

COMMENT ON COLUMN chat.trace.dropped_citations IS 'Marks that pointed at no source and were left out.';

COMMENT ON COLUMN chat.trace.model IS 'The model that was asked, also when it failed.';

COMMENT ON COLUMN chat.trace.prompt_tokens IS 'As the model''s service counted them.';

COMMENT ON COLUMN chat.trace.search_mode IS 'hybrid or keyword_only.';

COMMENT ON COLUMN chat.trace.searches IS 'How often the corpus was searched: more than once after a rewording.';

COMMENT ON COLUMN chat.trace.sentences IS 'Sentences that were checked against their sources.';

COMMENT ON COLUMN chat.trace.sources IS 'Sources the answer could rest on.';

COMMENT ON COLUMN chat.trace.timings IS 'Milliseconds by step.';

COMMENT ON COLUMN chat.trace.turn_id IS 'The answer.';

COMMENT ON COLUMN chat.trace.unsupported_sentences IS 'Sentences their sources do not bear out.';

COMMENT ON TABLE chat.trace IS 'How an answer came about, in numbers and words of ours; no text of people.';

GRANT SELECT ON TABLE chat.trace TO pgkb_admin;

CREATE TABLE chat.turn (
    turn_id bigint NOT NULL,
    conversation_id uuid NOT NULL,
    question text NOT NULL,
    standalone text,
    state text DEFAULT 'running'::text NOT NULL,
    answer text,
    answered_by text,
    la_code text,
    home_la_code text,
    school_urn text,
    place_from text DEFAULT 'none'::text NOT NULL,
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT turn_answered_by_known CHECK ((answered_by = ANY (ARRAY['model'::text, 'extractive'::text, 'sources_only'::text]))),
    CONSTRAINT turn_finished_with_its_state CHECK (((state = 'running'::text) = (finished_at IS NULL))),
    CONSTRAINT turn_place_from_known CHECK ((place_from = ANY (ARRAY['request'::text, 'conversation'::text, 'profile'::text, 'none'::text]))),
    CONSTRAINT turn_question_not_blank CHECK ((question ~ '\S'::text)),
    CONSTRAINT turn_question_not_endless CHECK ((length(question) <= 4000)),
    CONSTRAINT turn_state_known CHECK ((state = ANY (ARRAY['running'::text, 'answered'::text, 'not_found'::text, 'interrupted'::text, 'failed'::text])))
);

COMMENT ON COLUMN chat.turn.answer IS 'What was said; of an interrupted turn what was sent by then.';

COMMENT ON COLUMN chat.turn.answered_by IS 'model, extractive (quoted word for word) or sources_only (nothing could be quoted).';

COMMENT ON COLUMN chat.turn.asked_at IS 'When it was asked.';

COMMENT ON COLUMN chat.turn.conversation_id IS 'The conversation it belongs to.';

COMMENT ON COLUMN chat.turn.finished_at IS 'When its state became final.';

COMMENT ON COLUMN chat.turn.home_la_code IS 'The home authority it was asked for.';

COMMENT ON COLUMN chat.turn.la_code IS 'The authority it was asked for.';

COMMENT ON COLUMN chat.turn.place_from IS 'Where the place came from: request, conversation (an earlier request of it), profile or none.';

COMMENT ON COLUMN chat.turn.question IS 'In the words of who asked.';

COMMENT ON COLUMN chat.turn.school_urn IS 'The school it was asked for.';

COMMENT ON COLUMN chat.turn.standalone IS 'What was searched for, where the question alone would not have told; else NULL.';

COMMENT ON COLUMN chat.turn.state IS 'running, then answered, not_found, interrupted (the asker left) or failed.';

COMMENT ON COLUMN chat.turn.turn_id IS 'Key.';

COMMENT ON TABLE chat.turn IS 'A question and what was answered. The only place that keeps the text of a question.';

CREATE TABLE chat.wording (
    pack text NOT NULL,
    system_prompt text NOT NULL,
    no_area_disclaimer text NOT NULL,
    not_found text NOT NULL,
    CONSTRAINT wording_not_blank CHECK (((system_prompt ~ '\S'::text) AND (no_area_disclaimer ~ '\S'::text) AND (not_found ~ '\S'::text)))
);

COMMENT ON COLUMN chat.wording.no_area_disclaimer IS 'Said before an answer that drew on every area, as no area was known.';

COMMENT ON COLUMN chat.wording.not_found IS 'Said when nothing that is held answers the question.';

COMMENT ON COLUMN chat.wording.pack IS 'The pack whose words these are.';

COMMENT ON COLUMN chat.wording.system_prompt IS 'What the model is told before sources and question.';

COMMENT ON TABLE chat.wording IS 'What a chat says in the domain of a pack.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE chat.wording TO pgkb_ingest;
GRANT SELECT ON TABLE chat.wording TO pgkb_admin;

ALTER TABLE chat.turn ALTER COLUMN turn_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME chat.turn_turn_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY chat.conversation
    ADD CONSTRAINT conversation_pkey PRIMARY KEY (conversation_id);

ALTER TABLE ONLY chat.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (turn_id, number);

ALTER TABLE ONLY chat.trace
    ADD CONSTRAINT trace_pkey PRIMARY KEY (turn_id);

ALTER TABLE ONLY chat.turn
    ADD CONSTRAINT turn_pkey PRIMARY KEY (turn_id);

ALTER TABLE ONLY chat.wording
    ADD CONSTRAINT wording_pkey PRIMARY KEY (pack);

ALTER TABLE ONLY chat.conversation
    ADD CONSTRAINT conversation_child_fk FOREIGN KEY (child_id) REFERENCES account.child(child_id) ON DELETE SET NULL;

ALTER TABLE ONLY chat.conversation
    ADD CONSTRAINT conversation_person_fk FOREIGN KEY (person_id) REFERENCES account.person(person_id) ON DELETE CASCADE;

ALTER TABLE ONLY chat.source
    ADD CONSTRAINT source_turn_fk FOREIGN KEY (turn_id) REFERENCES chat.turn(turn_id) ON DELETE CASCADE;

ALTER TABLE ONLY chat.trace
    ADD CONSTRAINT trace_turn_fk FOREIGN KEY (turn_id) REFERENCES chat.turn(turn_id) ON DELETE CASCADE;

ALTER TABLE ONLY chat.turn
    ADD CONSTRAINT turn_conversation_fk FOREIGN KEY (conversation_id) REFERENCES chat.conversation(conversation_id) ON DELETE CASCADE;

ALTER TABLE ONLY chat.wording
    ADD CONSTRAINT wording_pack_fk FOREIGN KEY (pack) REFERENCES terms.pack(pack) ON DELETE CASCADE;

CREATE INDEX conversation_child_idx ON chat.conversation USING btree (child_id) WHERE (child_id IS NOT NULL);

CREATE INDEX conversation_last_turn_idx ON chat.conversation USING btree (last_turn_at);

CREATE INDEX conversation_person_idx ON chat.conversation USING btree (person_id, last_turn_at DESC, conversation_id) WHERE (person_id IS NOT NULL);

CREATE INDEX turn_conversation_idx ON chat.turn USING btree (conversation_id, turn_id);

CREATE INDEX turn_running_idx ON chat.turn USING btree (asked_at) WHERE (state = 'running'::text);

CREATE FUNCTION chat.broader_question(question text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ccb654dda7eb2b07';

COMMENT ON FUNCTION chat.broader_question(question text) IS 'Other, broader words for a question that found nothing: the names of its topics and what its words stand for; NULL when there are none.';

REVOKE ALL ON FUNCTION chat.broader_question(question text) FROM PUBLIC;
GRANT ALL ON FUNCTION chat.broader_question(question text) TO pgkb_app;

CREATE FUNCTION chat.context_of(question text, conversation_id uuid DEFAULT NULL::uuid, person_id uuid DEFAULT NULL::uuid, child_id uuid DEFAULT NULL::uuid, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, postcode text DEFAULT NULL::text, turns integer DEFAULT 4) RETURNS TABLE(la_code text, la_name text, home_la_code text, home_la_name text, school_urn text, school_name text, place_from text, child uuid, history jsonb, standalone text, system_prompt text, no_area_disclaimer text, not_found text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9c412632c61b52fc';

COMMENT ON FUNCTION chat.context_of(question text, conversation_id uuid, person_id uuid, child_id uuid, la text, home_la text, urn text, postcode text, turns integer) IS 'What is known before a question is searched for: whose rules hold, what was said before, what to search for, and the words of the domain.';

REVOKE ALL ON FUNCTION chat.context_of(question text, conversation_id uuid, person_id uuid, child_id uuid, la text, home_la text, urn text, postcode text, turns integer) FROM PUBLIC;
GRANT ALL ON FUNCTION chat.context_of(question text, conversation_id uuid, person_id uuid, child_id uuid, la text, home_la text, urn text, postcode text, turns integer) TO pgkb_app;

CREATE FUNCTION chat.delete_conversation(conversation_id uuid, person_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 22baf6d5fc7032d9';

COMMENT ON FUNCTION chat.delete_conversation(conversation_id uuid, person_id uuid) IS 'Remove a person''s conversation with everything that was said in it.';

REVOKE ALL ON FUNCTION chat.delete_conversation(conversation_id uuid, person_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION chat.delete_conversation(conversation_id uuid, person_id uuid) TO pgkb_app;

CREATE FUNCTION chat.finish_turn(turn_id bigint, state text, answer text DEFAULT NULL::text, answered_by text DEFAULT NULL::text, standalone text DEFAULT NULL::text, sources jsonb DEFAULT '[]'::jsonb, trace jsonb DEFAULT '{}'::jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 3c0dd688377b43ad';

COMMENT ON FUNCTION chat.finish_turn(turn_id bigint, state text, answer text, answered_by text, standalone text, sources jsonb, trace jsonb) IS 'Note how a running turn ended, with its sources and its trace; false when it is over or gone already.';

REVOKE ALL ON FUNCTION chat.finish_turn(turn_id bigint, state text, answer text, answered_by text, standalone text, sources jsonb, trace jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION chat.finish_turn(turn_id bigint, state text, answer text, answered_by text, standalone text, sources jsonb, trace jsonb) TO pgkb_app;

CREATE FUNCTION chat.list_conversations(person_id uuid, page_size integer DEFAULT 20, before_at timestamp with time zone DEFAULT NULL::timestamp with time zone, before_id uuid DEFAULT NULL::uuid) RETURNS TABLE(conversation_id uuid, child_id uuid, started_at timestamp with time zone, last_turn_at timestamp with time zone, turns bigint, first_question text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 81fd51b11bdd2888';

COMMENT ON FUNCTION chat.list_conversations(person_id uuid, page_size integer, before_at timestamp with time zone, before_id uuid) IS 'A person''s conversations, the latest first, in pages: each with its first question and how many it has.';

REVOKE ALL ON FUNCTION chat.list_conversations(person_id uuid, page_size integer, before_at timestamp with time zone, before_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION chat.list_conversations(person_id uuid, page_size integer, before_at timestamp with time zone, before_id uuid) TO pgkb_app;

CREATE FUNCTION chat.load_wording(pack text, system_prompt text, no_area_disclaimer text, not_found text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 de3f8027106af3ae';

COMMENT ON FUNCTION chat.load_wording(pack text, system_prompt text, no_area_disclaimer text, not_found text) IS 'Set what a chat says in the domain of a pack.';

REVOKE ALL ON FUNCTION chat.load_wording(pack text, system_prompt text, no_area_disclaimer text, not_found text) FROM PUBLIC;
GRANT ALL ON FUNCTION chat.load_wording(pack text, system_prompt text, no_area_disclaimer text, not_found text) TO pgkb_ingest;

CREATE FUNCTION chat.own_conversation(conversation_id uuid, person_id uuid) RETURNS chat.conversation
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b09b52ac3474c618';

COMMENT ON FUNCTION chat.own_conversation(conversation_id uuid, person_id uuid) IS 'The conversation, if it is this person''s; without a person, if it is nobody''s.';

REVOKE ALL ON FUNCTION chat.own_conversation(conversation_id uuid, person_id uuid) FROM PUBLIC;

CREATE FUNCTION chat.purge(older_than interval DEFAULT NULL::interval, batch_size integer DEFAULT 1000) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 931decf4488de4b8';

COMMENT ON FUNCTION chat.purge(older_than interval, batch_size integer) IS 'Remove the oldest conversations whose time is over, one batch; returns how many went.';

REVOKE ALL ON FUNCTION chat.purge(older_than interval, batch_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION chat.purge(older_than interval, batch_size integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION chat.purge(older_than interval, batch_size integer) TO pgkb_admin;

CREATE FUNCTION chat.read_conversation(conversation_id uuid, person_id uuid) RETURNS TABLE(turn_id bigint, question text, standalone text, state text, answer text, answered_by text, la_code text, home_la_code text, school_urn text, asked_at timestamp with time zone, finished_at timestamp with time zone, sources jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0d27baf95bc90efc';

COMMENT ON FUNCTION chat.read_conversation(conversation_id uuid, person_id uuid) IS 'The turns of a person''s conversation in order, each with the sources of its answer.';

REVOKE ALL ON FUNCTION chat.read_conversation(conversation_id uuid, person_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION chat.read_conversation(conversation_id uuid, person_id uuid) TO pgkb_app;

CREATE FUNCTION chat.standalone_question(question text, earlier text[]) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ccd34cd2ccdd9b44';

COMMENT ON FUNCTION chat.standalone_question(question text, earlier text[]) IS 'What to search for when a question may lean on those asked before it (oldest first): itself, or the last one that stood alone followed by it.';

REVOKE ALL ON FUNCTION chat.standalone_question(question text, earlier text[]) FROM PUBLIC;

CREATE FUNCTION chat.start_turn(question text, conversation_id uuid DEFAULT NULL::uuid, person_id uuid DEFAULT NULL::uuid, child_id uuid DEFAULT NULL::uuid, la_code text DEFAULT NULL::text, home_la_code text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, place_from text DEFAULT 'none'::text) RETURNS TABLE(conversation uuid, turn bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 7fa09314d46c62e9';

COMMENT ON FUNCTION chat.start_turn(question text, conversation_id uuid, person_id uuid, child_id uuid, la_code text, home_la_code text, school_urn text, place_from text) IS 'Note a question before it is answered, in a new conversation or one that goes on; the keys of both.';

REVOKE ALL ON FUNCTION chat.start_turn(question text, conversation_id uuid, person_id uuid, child_id uuid, la_code text, home_la_code text, school_urn text, place_from text) FROM PUBLIC;
GRANT ALL ON FUNCTION chat.start_turn(question text, conversation_id uuid, person_id uuid, child_id uuid, la_code text, home_la_code text, school_urn text, place_from text) TO pgkb_app;

CREATE SCHEMA config;

COMMENT ON SCHEMA config IS 'What can be tuned, its default and where the value in force comes from.';

GRANT USAGE ON SCHEMA config TO pgkb_app;
GRANT USAGE ON SCHEMA config TO pgkb_ingest;
GRANT USAGE ON SCHEMA config TO pgkb_admin;

CREATE TABLE config.setting (
    name text NOT NULL,
    kind text NOT NULL,
    default_value text,
    installed_value text,
    minimum numeric,
    maximum numeric,
    choices text[],
    unit text DEFAULT ''::text NOT NULL,
    meaning text NOT NULL,
    CONSTRAINT setting_kind_is_known CHECK ((kind = ANY (ARRAY['number'::text, 'integer'::text, 'boolean'::text, 'text'::text, 'list'::text]))),
    CONSTRAINT setting_name_is_a_guc CHECK ((name ~ '^kb\.[a-z0-9_]+$'::text))
);

COMMENT ON COLUMN config.setting.choices IS 'Legal words of a text or list setting; NULL is any.';

COMMENT ON COLUMN config.setting.default_value IS 'Value when nobody set one; NULL means the active embedding set decides.';

COMMENT ON COLUMN config.setting.installed_value IS 'Value for this database, set by config.install_setting; survives restarts and dumps.';

COMMENT ON COLUMN config.setting.kind IS 'number, integer, boolean, text or list (comma separated).';

COMMENT ON COLUMN config.setting.maximum IS 'Largest legal number; NULL is no bound.';

COMMENT ON COLUMN config.setting.meaning IS 'What changes when the value changes.';

COMMENT ON COLUMN config.setting.minimum IS 'Smallest legal number; NULL is no bound.';

COMMENT ON COLUMN config.setting.name IS 'Name as a custom parameter, e.g. kb.rrf_k.';

COMMENT ON COLUMN config.setting.unit IS 'Unit of the value, empty for a plain number.';

COMMENT ON TABLE config.setting IS 'The settings pgkb knows. A session or role value (set kb.x = ...) wins over the installed value, which wins over the default.';

GRANT UPDATE(installed_value) ON TABLE config.setting TO pgkb_admin;

GRANT SELECT ON TABLE config.setting TO pgkb_app;
GRANT SELECT ON TABLE config.setting TO pgkb_ingest;
GRANT SELECT ON TABLE config.setting TO pgkb_admin;

ALTER TABLE ONLY config.setting
    ADD CONSTRAINT setting_pk PRIMARY KEY (name);

CREATE VIEW config.settings AS
 SELECT name,
    default_value,
    unit,
    meaning,
    COALESCE(NULLIF(current_setting(name, true), ''::text), installed_value, default_value) AS value,
        CASE
            WHEN (NULLIF(current_setting(name, true), ''::text) IS NOT NULL) THEN 'session or role'::text
            WHEN (installed_value IS NOT NULL) THEN 'installed'::text
            WHEN (default_value IS NOT NULL) THEN 'default'::text
            ELSE 'embedding set'::text
        END AS source
   FROM config.setting s
  ORDER BY name;

COMMENT ON COLUMN config.settings.default_value IS 'Value when nobody set one.';

COMMENT ON COLUMN config.settings.meaning IS 'What changes when the value changes.';

COMMENT ON COLUMN config.settings.name IS 'Name, e.g. kb.rrf_k.';

COMMENT ON COLUMN config.settings.source IS 'session or role, installed, default or embedding set.';

COMMENT ON COLUMN config.settings.unit IS 'Unit of the value.';

COMMENT ON COLUMN config.settings.value IS 'The value in force; NULL means the active embedding set decides.';

COMMENT ON VIEW config.settings IS 'Every setting with the value in force for this session, its default, where it comes from and what it means.';

GRANT SELECT ON TABLE config.settings TO pgkb_app;
GRANT SELECT ON TABLE config.settings TO pgkb_ingest;
GRANT SELECT ON TABLE config.settings TO pgkb_admin;

CREATE FUNCTION config.check_value(name text, value text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e1473cd5f1598d59';

COMMENT ON FUNCTION config.check_value(name text, value text) IS 'Refuse a value that a setting cannot have, saying what it can.';

REVOKE ALL ON FUNCTION config.check_value(name text, value text) FROM PUBLIC;
GRANT ALL ON FUNCTION config.check_value(name text, value text) TO pgkb_app;
GRANT ALL ON FUNCTION config.check_value(name text, value text) TO pgkb_ingest;
GRANT ALL ON FUNCTION config.check_value(name text, value text) TO pgkb_admin;

CREATE FUNCTION config.install_setting(name text, value text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 a95b4074b7b4cb93';

COMMENT ON FUNCTION config.install_setting(name text, value text) IS 'Give a setting a value for this whole database; NULL goes back to the default.';

REVOKE ALL ON FUNCTION config.install_setting(name text, value text) FROM PUBLIC;
GRANT ALL ON FUNCTION config.install_setting(name text, value text) TO pgkb_admin;

CREATE FUNCTION config.unusable_settings() RETURNS TABLE(name text, value text, given_by text, legal text, is_ours boolean)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4da28e2daebfcc21';

COMMENT ON FUNCTION config.unusable_settings() IS 'The settings of pgkb with a value they cannot have, where each was given and what it can be; is_ours where it holds for this login.';

REVOKE ALL ON FUNCTION config.unusable_settings() FROM PUBLIC;
GRANT ALL ON FUNCTION config.unusable_settings() TO pgkb_app;
GRANT ALL ON FUNCTION config.unusable_settings() TO pgkb_admin;

CREATE FUNCTION config.value(name text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 433f40c9de365fb8';

COMMENT ON FUNCTION config.value(name text) IS 'The value of a setting in force for this session, checked; NULL when the embedding set decides.';

REVOKE ALL ON FUNCTION config.value(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION config.value(name text) TO pgkb_app;
GRANT ALL ON FUNCTION config.value(name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION config.value(name text) TO pgkb_admin;

CREATE SCHEMA corpus;

COMMENT ON SCHEMA corpus IS 'Documents, their versions and chunks, and who may see them.';

GRANT USAGE ON SCHEMA corpus TO pgkb_ingest;
GRANT USAGE ON SCHEMA corpus TO pgkb_admin;

CREATE TABLE corpus.authority_rank (
    authority text NOT NULL,
    pack text NOT NULL,
    weight double precision NOT NULL,
    meaning text DEFAULT ''::text NOT NULL,
    CONSTRAINT authority_rank_weight_is_mild CHECK (((weight >= (0.5)::double precision) AND (weight <= (2)::double precision)))
);

COMMENT ON COLUMN corpus.authority_rank.authority IS 'Kind of publisher, e.g. statutory, la, charity.';

COMMENT ON COLUMN corpus.authority_rank.meaning IS 'What counts as this kind.';

COMMENT ON COLUMN corpus.authority_rank.pack IS 'The pack it came with.';

COMMENT ON COLUMN corpus.authority_rank.weight IS 'Multiplies the fused score.';

COMMENT ON TABLE corpus.authority_rank IS 'How much the kind of publisher weighs after fusion.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE corpus.authority_rank TO pgkb_ingest;
GRANT SELECT ON TABLE corpus.authority_rank TO pgkb_admin;

CREATE TABLE corpus.chunk (
    chunk_id bigint NOT NULL,
    version_id bigint NOT NULL,
    document_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    chunk_index integer NOT NULL,
    start_at integer NOT NULL,
    content text NOT NULL,
    content_hash bytea NOT NULL,
    embedding_hash bytea NOT NULL,
    page_from integer,
    page_to integer,
    heading_path text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT chunk_content_not_blank CHECK ((content ~ '\S'::text))
);

COMMENT ON COLUMN corpus.chunk.chunk_id IS 'Key; a citation names it.';

COMMENT ON COLUMN corpus.chunk.chunk_index IS 'Counts from 0 within the version.';

COMMENT ON COLUMN corpus.chunk.content IS 'The passage, word for word.';

COMMENT ON COLUMN corpus.chunk.content_hash IS 'SHA-256 of the content: equal passages collapse in an answer.';

COMMENT ON COLUMN corpus.chunk.document_id IS 'Its document, copied so that a search needs no join for it.';

COMMENT ON COLUMN corpus.chunk.embedding_hash IS 'SHA-256 of title and content as sent to the model: equal ones reuse the stored vector.';

COMMENT ON COLUMN corpus.chunk.heading_path IS 'The headings it begins under, the outermost first.';

COMMENT ON COLUMN corpus.chunk.page_from IS 'The page it begins on, from 1; NULL where the file has no pages or was added before they were kept.';

COMMENT ON COLUMN corpus.chunk.page_to IS 'The page it ends on.';

COMMENT ON COLUMN corpus.chunk.scope_id IS 'Its scope, copied for the same reason.';

COMMENT ON COLUMN corpus.chunk.start_at IS 'Characters of the document before it.';

COMMENT ON COLUMN corpus.chunk.version_id IS 'Its version.';

COMMENT ON TABLE corpus.chunk IS 'A passage of a version: what is retrieved and cited. Never changes.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE corpus.chunk TO pgkb_ingest;
GRANT SELECT ON TABLE corpus.chunk TO pgkb_admin;

CREATE TABLE corpus.chunk_fact (
    chunk_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    quality_score smallint DEFAULT 0 NOT NULL,
    reviewed_by text,
    reviewed_at timestamp with time zone,
    status_before text,
    CONSTRAINT chunk_fact_quality_is_a_percentage CHECK (((quality_score >= 0) AND (quality_score <= 100))),
    CONSTRAINT chunk_fact_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'flagged'::text, 'superseded'::text]))),
    CONSTRAINT chunk_fact_superseded_had_a_status CHECK ((((status = 'superseded'::text) = (status_before IS NOT NULL)) AND ((status_before IS NULL) OR (status_before = ANY (ARRAY['pending'::text, 'approved'::text])))))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.05');

COMMENT ON COLUMN corpus.chunk_fact.chunk_id IS 'The chunk.';

COMMENT ON COLUMN corpus.chunk_fact.quality_score IS '0 to 100, see corpus.quality_score.';

COMMENT ON COLUMN corpus.chunk_fact.reviewed_at IS 'When.';

COMMENT ON COLUMN corpus.chunk_fact.reviewed_by IS 'Who last decided on it.';

COMMENT ON COLUMN corpus.chunk_fact.scope_id IS 'Its scope, copied.';

COMMENT ON COLUMN corpus.chunk_fact.status IS 'pending, approved, rejected, flagged or superseded.';

COMMENT ON COLUMN corpus.chunk_fact.status_before IS 'What a superseded chunk was when it was superseded, pending or approved: as_of asks for it. NULL of any other.';

COMMENT ON COLUMN corpus.chunk_fact.tags IS 'Topic slugs.';

COMMENT ON TABLE corpus.chunk_fact IS 'What may change about a published chunk, in a narrow row of its own: a change writes no page of the vector or the text index.';

GRANT UPDATE(status) ON TABLE corpus.chunk_fact TO pgkb_admin;

GRANT UPDATE(tags) ON TABLE corpus.chunk_fact TO pgkb_admin;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE corpus.chunk_fact TO pgkb_ingest;
GRANT SELECT ON TABLE corpus.chunk_fact TO pgkb_admin;

CREATE TABLE corpus.document (
    document_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    source text NOT NULL,
    source_family text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    stands_alone boolean DEFAULT false NOT NULL,
    origin text,
    CONSTRAINT document_source_not_empty CHECK ((source <> ''::text))
);

COMMENT ON COLUMN corpus.document.created_at IS 'When it was first added.';

COMMENT ON COLUMN corpus.document.document_id IS 'Key.';

COMMENT ON COLUMN corpus.document.origin IS 'Fingerprint of the place its file lay in, so that equal names of two folders stay two documents; NULL when it has none.';

COMMENT ON COLUMN corpus.document.scope_id IS 'Who may see it; never changes.';

COMMENT ON COLUMN corpus.document.source IS 'Address or file name it came from.';

COMMENT ON COLUMN corpus.document.source_family IS 'Host of an address, or upload: only documents of one family supersede each other by title.';

COMMENT ON COLUMN corpus.document.stands_alone IS 'A curator undid its supersession by another document: titles group it with no other any more.';

COMMENT ON TABLE corpus.document IS 'A document is a source in a scope; its text lives in versions.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE corpus.document TO pgkb_ingest;
GRANT SELECT ON TABLE corpus.document TO pgkb_admin;

CREATE TABLE corpus.domain (
    domain text NOT NULL,
    pack text NOT NULL,
    authority text NOT NULL
);

COMMENT ON COLUMN corpus.domain.authority IS 'The kind of publisher of its pages.';

COMMENT ON COLUMN corpus.domain.domain IS 'Registrable domain or host, lower case.';

COMMENT ON COLUMN corpus.domain.pack IS 'The pack it came with.';

COMMENT ON TABLE corpus.domain IS 'Web sites whose pages hold everywhere: they are national whoever adds them.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE corpus.domain TO pgkb_ingest;
GRANT SELECT ON TABLE corpus.domain TO pgkb_admin;

CREATE TABLE corpus.scope (
    scope_id bigint NOT NULL,
    kind text NOT NULL,
    la_code text,
    school_urn text,
    owner text,
    principals text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT scope_is_exactly_one_kind CHECK (
CASE kind
    WHEN 'national'::text THEN ((la_code IS NULL) AND (school_urn IS NULL) AND (owner IS NULL))
    WHEN 'la'::text THEN ((la_code IS NOT NULL) AND (school_urn IS NULL) AND (owner IS NULL))
    WHEN 'school'::text THEN ((la_code IS NOT NULL) AND (school_urn IS NOT NULL) AND (owner IS NULL))
    WHEN 'private'::text THEN (owner IS NOT NULL)
    ELSE false
END),
    CONSTRAINT scope_only_private_is_shared CHECK (((kind = 'private'::text) OR (principals = '{}'::text[])))
);

COMMENT ON COLUMN corpus.scope.kind IS 'national, la, school or private.';

COMMENT ON COLUMN corpus.scope.la_code IS 'The authority, of la and school scopes.';

COMMENT ON COLUMN corpus.scope.owner IS 'The principal who added private documents.';

COMMENT ON COLUMN corpus.scope.principals IS 'Whom the owner shares with, sorted; the owner always sees.';

COMMENT ON COLUMN corpus.scope.school_urn IS 'The school, of school scopes.';

COMMENT ON COLUMN corpus.scope.scope_id IS 'Key.';

COMMENT ON TABLE corpus.scope IS 'A set of documents that the same people may see: national, one authority, one school, or private to principals.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE corpus.scope TO pgkb_ingest;
GRANT SELECT ON TABLE corpus.scope TO pgkb_admin;

CREATE TABLE corpus.status_edge (
    old_status text NOT NULL,
    new_status text NOT NULL,
    with_version boolean DEFAULT false NOT NULL,
    meaning text NOT NULL,
    CONSTRAINT status_edge_leads_elsewhere CHECK ((old_status <> new_status))
);

COMMENT ON COLUMN corpus.status_edge.meaning IS 'What the move says.';

COMMENT ON COLUMN corpus.status_edge.new_status IS 'The state it may go to.';

COMMENT ON COLUMN corpus.status_edge.old_status IS 'The state it is in.';

COMMENT ON COLUMN corpus.status_edge.with_version IS 'Nobody decides for it: it follows its version, and only while that is superseded or published again.';

COMMENT ON TABLE corpus.status_edge IS 'The moves a passage may make between validation states; every other is refused (KB013).';

GRANT SELECT ON TABLE corpus.status_edge TO pgkb_ingest;
GRANT SELECT ON TABLE corpus.status_edge TO pgkb_admin;

CREATE TABLE corpus.version (
    version_id bigint NOT NULL,
    document_id bigint NOT NULL,
    version integer NOT NULL,
    state text DEFAULT 'staged'::text NOT NULL,
    title text NOT NULL,
    title_key text,
    content_hash bytea NOT NULL,
    file_type text NOT NULL,
    document_type text,
    authority text,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    effective_date date,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    valid_from date,
    valid_to date,
    superseded_by bigint,
    staged_at timestamp with time zone DEFAULT now() NOT NULL,
    published_at timestamp with time zone,
    withdrawn_on date,
    moved_on boolean DEFAULT false NOT NULL,
    CONSTRAINT version_file_type_is_known CHECK ((file_type = ANY (ARRAY['pdf'::text, 'docx'::text, 'html'::text, 'txt'::text]))),
    CONSTRAINT version_hash_is_sha256 CHECK ((octet_length(content_hash) = 32)),
    CONSTRAINT version_state_is_known CHECK ((state = ANY (ARRAY['staged'::text, 'published'::text, 'superseded'::text])))
);

COMMENT ON COLUMN corpus.version.authority IS 'Kind of publisher; NULL weighs neutral.';

COMMENT ON COLUMN corpus.version.content_hash IS 'SHA-256 over the normalised text.';

COMMENT ON COLUMN corpus.version.document_id IS 'Its document.';

COMMENT ON COLUMN corpus.version.document_type IS 'What it is, e.g. policy, guidance; free text of the pack.';

COMMENT ON COLUMN corpus.version.effective_date IS 'The day it says it applies from.';

COMMENT ON COLUMN corpus.version.file_type IS 'pdf, docx, html or txt, decided by bytes.';

COMMENT ON COLUMN corpus.version.metadata IS 'What the parser found; no NUL, no question text.';

COMMENT ON COLUMN corpus.version.moved_on IS 'Its source says what another source says, or was gone while another document hid it; when that source says this again, it is published again.';

COMMENT ON COLUMN corpus.version.published_at IS 'When it became visible.';

COMMENT ON COLUMN corpus.version.staged_at IS 'When its text was stored.';

COMMENT ON COLUMN corpus.version.state IS 'staged (nobody sees it), published or superseded.';

COMMENT ON COLUMN corpus.version.superseded_by IS 'The version that took over, of this or another document.';

COMMENT ON COLUMN corpus.version.tags IS 'Topic slugs its chunks start with.';

COMMENT ON COLUMN corpus.version.title IS 'Title people read.';

COMMENT ON COLUMN corpus.version.title_key IS 'Folded title without years and version words; NULL when too generic to supersede by.';

COMMENT ON COLUMN corpus.version.valid_from IS 'First day it was in force for as_of.';

COMMENT ON COLUMN corpus.version.valid_to IS 'First day it was no longer in force, see corpus.lay_timeline; NULL is still.';

COMMENT ON COLUMN corpus.version.version IS 'Counts from 1 within the document.';

COMMENT ON COLUMN corpus.version.version_id IS 'Key.';

COMMENT ON COLUMN corpus.version.withdrawn_on IS 'The day its source was gone or began to say what another source says, or a curator named another document as its successor; NULL when a version of its own document or title took over.';

COMMENT ON TABLE corpus.version IS 'One text of a document. Exactly one is published at a time; earlier ones stay for as_of and for old citations.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE corpus.version TO pgkb_ingest;
GRANT SELECT ON TABLE corpus.version TO pgkb_admin;

ALTER TABLE corpus.chunk ALTER COLUMN chunk_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME corpus.chunk_chunk_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE corpus.document ALTER COLUMN document_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME corpus.document_document_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE corpus.scope ALTER COLUMN scope_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME corpus.scope_scope_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE corpus.version ALTER COLUMN version_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME corpus.version_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY corpus.authority_rank
    ADD CONSTRAINT authority_rank_pk PRIMARY KEY (authority);

ALTER TABLE ONLY corpus.chunk
    ADD CONSTRAINT chunk_once_per_index UNIQUE (version_id, chunk_index);

ALTER TABLE ONLY corpus.chunk
    ADD CONSTRAINT chunk_pk PRIMARY KEY (chunk_id);

ALTER TABLE ONLY corpus.chunk_fact
    ADD CONSTRAINT chunk_fact_pk PRIMARY KEY (chunk_id);

ALTER TABLE ONLY corpus.document
    ADD CONSTRAINT document_once_per_source UNIQUE (scope_id, source);

ALTER TABLE ONLY corpus.document
    ADD CONSTRAINT document_pk PRIMARY KEY (document_id);

ALTER TABLE ONLY corpus.domain
    ADD CONSTRAINT domain_pk PRIMARY KEY (domain);

ALTER TABLE ONLY corpus.scope
    ADD CONSTRAINT scope_pk PRIMARY KEY (scope_id);

ALTER TABLE ONLY corpus.status_edge
    ADD CONSTRAINT status_edge_pk PRIMARY KEY (old_status, new_status);

ALTER TABLE ONLY corpus.version
    ADD CONSTRAINT version_once_per_number UNIQUE (document_id, version);

ALTER TABLE ONLY corpus.version
    ADD CONSTRAINT version_pk PRIMARY KEY (version_id);

ALTER TABLE ONLY corpus.authority_rank
    ADD CONSTRAINT authority_rank_pack_fk FOREIGN KEY (pack) REFERENCES terms.pack(pack) ON DELETE CASCADE;

ALTER TABLE ONLY corpus.chunk
    ADD CONSTRAINT chunk_version_fk FOREIGN KEY (version_id) REFERENCES corpus.version(version_id) ON DELETE CASCADE;

ALTER TABLE ONLY corpus.chunk_fact
    ADD CONSTRAINT chunk_fact_chunk_fk FOREIGN KEY (chunk_id) REFERENCES corpus.chunk(chunk_id) ON DELETE CASCADE;

ALTER TABLE ONLY corpus.document
    ADD CONSTRAINT document_scope_fk FOREIGN KEY (scope_id) REFERENCES corpus.scope(scope_id);

ALTER TABLE ONLY corpus.domain
    ADD CONSTRAINT domain_authority_fk FOREIGN KEY (authority) REFERENCES corpus.authority_rank(authority);

ALTER TABLE ONLY corpus.domain
    ADD CONSTRAINT domain_pack_fk FOREIGN KEY (pack) REFERENCES terms.pack(pack) ON DELETE CASCADE;

ALTER TABLE ONLY corpus.scope
    ADD CONSTRAINT scope_authority_fk FOREIGN KEY (la_code) REFERENCES place.authority(gss);

ALTER TABLE ONLY corpus.scope
    ADD CONSTRAINT scope_school_fk FOREIGN KEY (school_urn) REFERENCES place.school(urn);

ALTER TABLE ONLY corpus.version
    ADD CONSTRAINT version_authority_fk FOREIGN KEY (authority) REFERENCES corpus.authority_rank(authority);

ALTER TABLE ONLY corpus.version
    ADD CONSTRAINT version_document_fk FOREIGN KEY (document_id) REFERENCES corpus.document(document_id) ON DELETE CASCADE;

ALTER TABLE ONLY corpus.version
    ADD CONSTRAINT version_superseded_by_fk FOREIGN KEY (superseded_by) REFERENCES corpus.version(version_id) ON DELETE SET NULL;

CREATE INDEX authority_rank_pack_idx ON corpus.authority_rank USING btree (pack);

CREATE INDEX chunk_document_idx ON corpus.chunk USING btree (document_id);

CREATE INDEX chunk_embedding_hash_idx ON corpus.chunk USING btree (embedding_hash);

CREATE INDEX chunk_fact_scope_idx ON corpus.chunk_fact USING btree (scope_id);

CREATE INDEX chunk_fact_scoped_tags_idx ON corpus.chunk_fact USING gin (corpus.scoped_tags(tags, ARRAY[scope_id])) WITH (fastupdate=off);

CREATE INDEX chunk_fact_tags_idx ON corpus.chunk_fact USING gin (tags);

CREATE INDEX domain_authority_idx ON corpus.domain USING btree (authority);

CREATE INDEX domain_pack_idx ON corpus.domain USING btree (pack);

CREATE INDEX scope_authority_idx ON corpus.scope USING btree (la_code);

CREATE UNIQUE INDEX scope_once_idx ON corpus.scope USING btree (kind, la_code, school_urn, owner, hash_array_extended(principals, (0)::bigint)) NULLS NOT DISTINCT;

CREATE INDEX scope_owner_idx ON corpus.scope USING btree (owner) WHERE (kind = 'private'::text);

CREATE INDEX scope_principals_idx ON corpus.scope USING gin (principals) WHERE (kind = 'private'::text);

CREATE INDEX scope_school_idx ON corpus.scope USING btree (school_urn);

CREATE INDEX version_authority_idx ON corpus.version USING btree (authority);

CREATE INDEX version_content_hash_idx ON corpus.version USING btree (content_hash);

CREATE UNIQUE INDEX version_one_published_idx ON corpus.version USING btree (document_id) WHERE (state = 'published'::text);

CREATE INDEX version_staged_idx ON corpus.version USING btree (staged_at) WHERE (state = 'staged'::text);

CREATE INDEX version_superseded_by_idx ON corpus.version USING btree (superseded_by);

CREATE INDEX version_title_key_idx ON corpus.version USING btree (title_key) WHERE (state = ANY (ARRAY['published'::text, 'superseded'::text]));

CREATE INDEX version_valid_from_idx ON corpus.version USING btree (valid_from) WHERE (state = ANY (ARRAY['published'::text, 'superseded'::text]));

CREATE VIEW corpus.document_overview AS
 SELECT d.document_id,
    s.kind AS scope,
    s.la_code,
    s.school_urn,
    s.owner,
    d.source,
    d.source_family,
    d.stands_alone,
    v.version_id,
    v.version,
    v.state,
    v.title,
    v.document_type,
    v.authority,
    v.file_type,
    v.effective_date,
    v.valid_from AS in_force_from,
    v.valid_to AS in_force_to,
    v.published_at,
    n.document_id AS superseded_by_document,
    f.passages,
    f.pending,
    f.approved,
    f.rejected,
    f.flagged,
    f.tags,
    f.quality_score
   FROM ((((corpus.document d
     JOIN corpus.scope s ON ((d.scope_id = s.scope_id)))
     CROSS JOIN LATERAL ( SELECT o.version_id,
            o.document_id,
            o.version,
            o.state,
            o.title,
            o.title_key,
            o.content_hash,
            o.file_type,
            o.document_type,
            o.authority,
            o.tags,
            o.effective_date,
            o.metadata,
            o.valid_from,
            o.valid_to,
            o.superseded_by,
            o.staged_at,
            o.published_at,
            o.withdrawn_on
           FROM corpus.version o
          WHERE (o.document_id = d.document_id)
          ORDER BY (o.state = 'published'::text) DESC, o.version DESC
         LIMIT 1) v)
     LEFT JOIN corpus.version n ON ((v.superseded_by = n.version_id)))
     CROSS JOIN LATERAL ( SELECT (count(*))::integer AS passages,
            (count(*) FILTER (WHERE (x.status = 'pending'::text)))::integer AS pending,
            (count(*) FILTER (WHERE (x.status = 'approved'::text)))::integer AS approved,
            (count(*) FILTER (WHERE (x.status = 'rejected'::text)))::integer AS rejected,
            (count(*) FILTER (WHERE (x.status = 'flagged'::text)))::integer AS flagged,
            COALESCE(( SELECT array_agg(DISTINCT t.tag ORDER BY t.tag) AS array_agg
                   FROM ((corpus.chunk u
                     JOIN corpus.chunk_fact y ON ((u.chunk_id = y.chunk_id)))
                     CROSS JOIN LATERAL unnest(y.tags) t(tag))
                  WHERE (u.version_id = v.version_id)), '{}'::text[]) AS tags,
            (round(avg(x.quality_score)))::smallint AS quality_score
           FROM (corpus.chunk c
             JOIN corpus.chunk_fact x ON ((c.chunk_id = x.chunk_id)))
          WHERE (c.version_id = v.version_id)) f);

COMMENT ON COLUMN corpus.document_overview.approved IS 'Passages found right.';

COMMENT ON COLUMN corpus.document_overview.authority IS 'Kind of publisher.';

COMMENT ON COLUMN corpus.document_overview.document_id IS 'The document.';

COMMENT ON COLUMN corpus.document_overview.document_type IS 'What it is.';

COMMENT ON COLUMN corpus.document_overview.effective_date IS 'The day it says it applies from.';

COMMENT ON COLUMN corpus.document_overview.file_type IS 'pdf, docx, html or txt.';

COMMENT ON COLUMN corpus.document_overview.flagged IS 'Passages in question.';

COMMENT ON COLUMN corpus.document_overview.in_force_from IS 'First day it was in force for as_of.';

COMMENT ON COLUMN corpus.document_overview.in_force_to IS 'First day it no longer was; NULL is still.';

COMMENT ON COLUMN corpus.document_overview.la_code IS 'Authority; NULL is national or private.';

COMMENT ON COLUMN corpus.document_overview.owner IS 'Who added it, when it is private.';

COMMENT ON COLUMN corpus.document_overview.passages IS 'Its passages; none while it is staged.';

COMMENT ON COLUMN corpus.document_overview.pending IS 'Passages nobody has decided on.';

COMMENT ON COLUMN corpus.document_overview.published_at IS 'When this version was published.';

COMMENT ON COLUMN corpus.document_overview.quality_score IS 'Mean quality of its passages, 0 to 100.';

COMMENT ON COLUMN corpus.document_overview.rejected IS 'Passages found wrong.';

COMMENT ON COLUMN corpus.document_overview.school_urn IS 'School, when it is a school''s.';

COMMENT ON COLUMN corpus.document_overview.scope IS 'national, la, school or private.';

COMMENT ON COLUMN corpus.document_overview.source IS 'Address or file name.';

COMMENT ON COLUMN corpus.document_overview.source_family IS 'Host, or upload.';

COMMENT ON COLUMN corpus.document_overview.stands_alone IS 'Titles group it with no other document.';

COMMENT ON COLUMN corpus.document_overview.state IS 'published, superseded or staged.';

COMMENT ON COLUMN corpus.document_overview.superseded_by_document IS 'The document whose version took over; its own when a later version did.';

COMMENT ON COLUMN corpus.document_overview.tags IS 'Topic slugs of its passages.';

COMMENT ON COLUMN corpus.document_overview.title IS 'Its title.';

COMMENT ON COLUMN corpus.document_overview.version IS 'Its number within the document.';

COMMENT ON COLUMN corpus.document_overview.version_id IS 'The version shown.';

COMMENT ON VIEW corpus.document_overview IS 'One row per document: its published version, or its latest when none is, and how far its passages are decided on.';

GRANT SELECT ON TABLE corpus.document_overview TO pgkb_admin;

CREATE FUNCTION corpus.check_batch(ids bigint[]) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f97d66678b07623e';

COMMENT ON FUNCTION corpus.check_batch(ids bigint[]) IS 'The ids of a bulk decision, each once, in order; refuse more than 50 of them or a missing one.';

REVOKE ALL ON FUNCTION corpus.check_batch(ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.check_batch(ids bigint[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.check_batch(ids bigint[]) TO pgkb_admin;

CREATE FUNCTION corpus.check_decision(status text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0f59d057e8e72045';

COMMENT ON FUNCTION corpus.check_decision(status text) IS 'Refuse what no person can decide for.';

REVOKE ALL ON FUNCTION corpus.check_decision(status text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.check_decision(status text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.check_decision(status text) TO pgkb_admin;

CREATE FUNCTION corpus.check_embedded(version_id bigint) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 93cd6c101b753e12';

COMMENT ON FUNCTION corpus.check_embedded(version_id bigint) IS 'Refuse a version that lacks vectors in the active embedding set: it must not be published.';

REVOKE ALL ON FUNCTION corpus.check_embedded(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.check_embedded(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.check_embedded(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.check_rank(authority text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 a5a7cf5fa7e45c5b';

COMMENT ON FUNCTION corpus.check_rank(authority text) IS 'Refuse a kind of publisher that no pack names.';

REVOKE ALL ON FUNCTION corpus.check_rank(authority text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.check_rank(authority text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.check_rank(authority text) TO pgkb_admin;

CREATE FUNCTION corpus.check_tags(tags text[]) RETURNS text[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 84b4938e98a92da2';

COMMENT ON FUNCTION corpus.check_tags(tags text[]) IS 'The tags, trimmed, sorted and each once; refuse one that is not a topic.';

REVOKE ALL ON FUNCTION corpus.check_tags(tags text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.check_tags(tags text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.check_tags(tags text[]) TO pgkb_admin;

CREATE FUNCTION corpus.chunk_fact__check_transition() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f31c53ed7eb9e2d7';

COMMENT ON FUNCTION corpus.chunk_fact__check_transition() IS 'A validation state moves only along corpus.status_edge, and to or from superseded only with its version; who decided is noted.';

REVOKE ALL ON FUNCTION corpus.chunk_fact__check_transition() FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.chunk_fact__check_transition() TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.chunk_fact__check_transition() TO pgkb_admin;

CREATE FUNCTION corpus.chunk_fact__note_decisions() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e8e4891141ee6913';

COMMENT ON FUNCTION corpus.chunk_fact__note_decisions() IS 'Every decision on passages becomes an event, whichever client made it: who, from which login, when, why, from what to what.';

REVOKE ALL ON FUNCTION corpus.chunk_fact__note_decisions() FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.chunk_fact__note_decisions() TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.chunk_fact__note_decisions() TO pgkb_admin;

CREATE FUNCTION corpus.chunk_fact__rate() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 08155e57ffcc71b2';

COMMENT ON FUNCTION corpus.chunk_fact__rate() IS 'The quality of a passage follows its tags, whichever client changes them.';

REVOKE ALL ON FUNCTION corpus.chunk_fact__rate() FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.chunk_fact__rate() TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.chunk_fact__rate() TO pgkb_admin;

CREATE FUNCTION corpus.chunk_text(body text, size integer DEFAULT NULL::integer, overlap integer DEFAULT NULL::integer, minimum integer DEFAULT NULL::integer) RETURNS TABLE(chunk_index integer, start_at integer, content text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 16a8892c7e6f704d';

COMMENT ON FUNCTION corpus.chunk_text(body text, size integer, overlap integer, minimum integer) IS 'Cut a text into overlapping passages at paragraph, else sentence, else word ends; nothing is lost.';

REVOKE ALL ON FUNCTION corpus.chunk_text(body text, size integer, overlap integer, minimum integer) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.chunk_text(body text, size integer, overlap integer, minimum integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.chunk_text(body text, size integer, overlap integer, minimum integer) TO pgkb_admin;

CREATE FUNCTION corpus.content_hash(content text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8ca3cfe05879f0e2';

COMMENT ON FUNCTION corpus.content_hash(content text) IS 'SHA-256 over the text with white space and Unicode form normalised: the same words give the same hash.';

REVOKE ALL ON FUNCTION corpus.content_hash(content text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.content_hash(content text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.content_hash(content text) TO pgkb_admin;

CREATE FUNCTION corpus.correct_facts(version_id bigint, title text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], authority text DEFAULT NULL::text, document_type text DEFAULT NULL::text, effective_date date DEFAULT NULL::date) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4a788d7b69a8653c';

COMMENT ON FUNCTION corpus.correct_facts(version_id bigint, title text, tags text[], authority text, document_type text, effective_date date) IS 'Apply corrected facts to a version whose text is the same; false when there was nothing to correct. NULL leaves a fact as it is.';

REVOKE ALL ON FUNCTION corpus.correct_facts(version_id bigint, title text, tags text[], authority text, document_type text, effective_date date) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.correct_facts(version_id bigint, title text, tags text[], authority text, document_type text, effective_date date) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.correct_facts(version_id bigint, title text, tags text[], authority text, document_type text, effective_date date) TO pgkb_admin;

CREATE FUNCTION corpus.decide_chunks(chunk_ids bigint[], status text, actor text DEFAULT NULL::text, reason text DEFAULT NULL::text) RETURNS TABLE(chunk_id bigint, outcome text, explanation text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 70d54273e85887e8';

COMMENT ON FUNCTION corpus.decide_chunks(chunk_ids bigint[], status text, actor text, reason text) IS 'Decide on up to 50 passages at once, each for itself: one row each, changed, unchanged, refused or unknown, and why.';

REVOKE ALL ON FUNCTION corpus.decide_chunks(chunk_ids bigint[], status text, actor text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.decide_chunks(chunk_ids bigint[], status text, actor text, reason text) TO pgkb_admin;

CREATE FUNCTION corpus.decide_documents(document_ids bigint[], status text, actor text DEFAULT NULL::text, reason text DEFAULT NULL::text) RETURNS TABLE(document_id bigint, outcome text, changed integer, kept integer, explanation text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 16205457fc4d30f5';

COMMENT ON FUNCTION corpus.decide_documents(document_ids bigint[], status text, actor text, reason text) IS 'Decide on the passages of up to 50 documents at once, each document for itself: one row each, changed, unchanged, refused or unknown, and why.';

REVOKE ALL ON FUNCTION corpus.decide_documents(document_ids bigint[], status text, actor text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.decide_documents(document_ids bigint[], status text, actor text, reason text) TO pgkb_admin;

CREATE FUNCTION corpus.discard_abandoned(older_than interval DEFAULT '1 day'::interval) RETURNS integer
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d211316479457a4f';

COMMENT ON FUNCTION corpus.discard_abandoned(older_than interval) IS 'Remove staged versions that nobody will finish: given up, or without a task for a day; returns how many.';

REVOKE ALL ON FUNCTION corpus.discard_abandoned(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.discard_abandoned(older_than interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.discard_abandoned(older_than interval) TO pgkb_admin;

CREATE FUNCTION corpus.discard_version(version_id bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 62e7990c336f65b8';

COMMENT ON FUNCTION corpus.discard_version(version_id bigint) IS 'Remove a staged version and its task; a published or superseded one is never removed.';

REVOKE ALL ON FUNCTION corpus.discard_version(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.discard_version(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.discard_version(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.document_history(document_id bigint) RETURNS TABLE(at timestamp with time zone, version_id bigint, version integer, what text, actor text, login text, reason text, detail jsonb)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 296a9da81236134a';

COMMENT ON FUNCTION corpus.document_history(document_id bigint) IS 'What became of a document, oldest first: each version when it came, and every decision on it with who, from which login, when and why.';

REVOKE ALL ON FUNCTION corpus.document_history(document_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.document_history(document_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.document_history(document_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.expose_version(version_id bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 546d5900b738368b';

COMMENT ON FUNCTION corpus.expose_version(version_id bigint) IS 'Put the texts and vectors of a published version where the search looks.';

REVOKE ALL ON FUNCTION corpus.expose_version(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.expose_version(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.expose_version(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.expose_versions(version_ids bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 51d0373cecb0cf6b';

COMMENT ON FUNCTION corpus.expose_versions(version_ids bigint[]) IS 'Put the texts and vectors of published versions where the search looks.';

REVOKE ALL ON FUNCTION corpus.expose_versions(version_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.expose_versions(version_ids bigint[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.expose_versions(version_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION corpus.find_break(passage_window text, size integer, low integer) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 3448602b1772b76a';

COMMENT ON FUNCTION corpus.find_break(passage_window text, size integer, low integer) IS 'Length of the best passage at the start of a window: the break nearest to the size that is not before low.';

REVOKE ALL ON FUNCTION corpus.find_break(passage_window text, size integer, low integer) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.find_break(passage_window text, size integer, low integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.find_break(passage_window text, size integer, low integer) TO pgkb_admin;

CREATE FUNCTION corpus.fold_title(title text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 abf86605afec8797';

COMMENT ON FUNCTION corpus.fold_title(title text) IS 'A title as titles are compared: folded, without the ending of a file, the year of an act made part of its name.';

REVOKE ALL ON FUNCTION corpus.fold_title(title text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.fold_title(title text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.fold_title(title text) TO pgkb_admin;

CREATE FUNCTION corpus.held_back_by(version_id bigint, day date) RETURNS SETOF corpus.version
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 120559c3efbc9d19';

COMMENT ON FUNCTION corpus.held_back_by(version_id bigint, day date) IS 'The superseded versions that a version''s document holds back by title or by this day alone: nobody decided so, and their sources are still there.';

REVOKE ALL ON FUNCTION corpus.held_back_by(version_id bigint, day date) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.held_back_by(version_id bigint, day date) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.held_back_by(version_id bigint, day date) TO pgkb_admin;

CREATE FUNCTION corpus.held_by_corrected(version_id bigint) RETURNS SETOF corpus.version
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 12d2d2d3ae4e06f6';

COMMENT ON FUNCTION corpus.held_by_corrected(version_id bigint) IS 'The superseded versions of other documents that a version''s document holds back only by what this one corrects: versions under another title that are in force on no day.';

REVOKE ALL ON FUNCTION corpus.held_by_corrected(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.held_by_corrected(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.held_by_corrected(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.in_other_folder(source text, other text) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 069661dcc61c9934';

COMMENT ON FUNCTION corpus.in_other_folder(source text, other text) IS 'Whether two sources are files of one archive in different folders of it.';

REVOKE ALL ON FUNCTION corpus.in_other_folder(source text, other text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.in_other_folder(source text, other text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.in_other_folder(source text, other text) TO pgkb_admin;

CREATE FUNCTION corpus.index_version(version_id bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 024b34b666cee49b';

COMMENT ON FUNCTION corpus.index_version(version_id bigint) IS 'Make the words of a version findable, those of its title with each passage.';

REVOKE ALL ON FUNCTION corpus.index_version(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.index_version(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.index_version(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.index_versions(version_ids bigint[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 16f2517747dd75c2';

COMMENT ON FUNCTION corpus.index_versions(version_ids bigint[]) IS 'Make the words of versions findable, those of its title with each passage.';

REVOKE ALL ON FUNCTION corpus.index_versions(version_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.index_versions(version_ids bigint[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.index_versions(version_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION corpus.judge_rivals(version_id bigint, OUT losers bigint[], OUT winner bigint) RETURNS record
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 6d7c7a2601fe79a7';

COMMENT ON FUNCTION corpus.judge_rivals(version_id bigint, OUT losers bigint[], OUT winner bigint) IS 'Which published rivals a version replaces, and the one that stays above it, if any.';

REVOKE ALL ON FUNCTION corpus.judge_rivals(version_id bigint, OUT losers bigint[], OUT winner bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.judge_rivals(version_id bigint, OUT losers bigint[], OUT winner bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.judge_rivals(version_id bigint, OUT losers bigint[], OUT winner bigint) TO pgkb_admin;

CREATE FUNCTION corpus.last_superseded(document_id bigint, version integer DEFAULT NULL::integer) RETURNS bigint
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 26db23a5bee176fe';

COMMENT ON FUNCTION corpus.last_superseded(document_id bigint, version integer) IS 'The superseded version of a document that undoing is about: the one with this number, else the one that began last.';

REVOKE ALL ON FUNCTION corpus.last_superseded(document_id bigint, version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.last_superseded(document_id bigint, version integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.last_superseded(document_id bigint, version integer) TO pgkb_admin;

CREATE FUNCTION corpus.lay_timeline(document_id bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8910626881b84853';

COMMENT ON FUNCTION corpus.lay_timeline(document_id bigint) IS 'Set until when each version of a document and of its titles was in force: on any day one of them is, whatever the order they came in.';

REVOKE ALL ON FUNCTION corpus.lay_timeline(document_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.lay_timeline(document_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.lay_timeline(document_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.list_documents(status text DEFAULT NULL::text, la text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], min_quality integer DEFAULT NULL::integer, title text DEFAULT NULL::text, before bigint DEFAULT NULL::bigint, page_size integer DEFAULT 20) RETURNS SETOF corpus.document_overview
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 c9d731f849eb8665';

COMMENT ON FUNCTION corpus.list_documents(status text, la text, tags text[], min_quality integer, title text, before bigint, page_size integer) IS 'The documents a curator looks for, newest first, a page at a time; the next page begins before the last one''s id.';

REVOKE ALL ON FUNCTION corpus.list_documents(status text, la text, tags text[], min_quality integer, title text, before bigint, page_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.list_documents(status text, la text, tags text[], min_quality integer, title text, before bigint, page_size integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.list_documents(status text, la text, tags text[], min_quality integer, title text, before bigint, page_size integer) TO pgkb_admin;

CREATE FUNCTION corpus.list_passages(document_id bigint, version integer DEFAULT NULL::integer, after_index integer DEFAULT '-1'::integer, page_size integer DEFAULT 20) RETURNS TABLE(chunk_id bigint, chunk_index integer, status text, quality_score smallint, tags text[], reviewed_by text, reviewed_at timestamp with time zone, content text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d7a2554765dc644f';

COMMENT ON FUNCTION corpus.list_passages(document_id bigint, version integer, after_index integer, page_size integer) IS 'The passages of a document''s published version, or of any version named by its number, in their order, a page at a time.';

REVOKE ALL ON FUNCTION corpus.list_passages(document_id bigint, version integer, after_index integer, page_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.list_passages(document_id bigint, version integer, after_index integer, page_size integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.list_passages(document_id bigint, version integer, after_index integer, page_size integer) TO pgkb_admin;

CREATE FUNCTION corpus.load_domains(pack text, rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 76dc2eb529f141bf';

COMMENT ON FUNCTION corpus.load_domains(pack text, rows jsonb) IS 'Replace the national web sites of a pack; returns how many there are.';

REVOKE ALL ON FUNCTION corpus.load_domains(pack text, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.load_domains(pack text, rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.load_domains(pack text, rows jsonb) TO pgkb_admin;

CREATE FUNCTION corpus.load_ranks(pack text, rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8ebefd3468fb16d3';

COMMENT ON FUNCTION corpus.load_ranks(pack text, rows jsonb) IS 'Set how much each kind of publisher weighs; returns how many there are.';

REVOKE ALL ON FUNCTION corpus.load_ranks(pack text, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.load_ranks(pack text, rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.load_ranks(pack text, rows jsonb) TO pgkb_admin;

CREATE FUNCTION corpus.lock_facts(chunk_ids bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 57b38331f9bcdf88';

COMMENT ON FUNCTION corpus.lock_facts(chunk_ids bigint[]) IS 'Lock the facts of chunks against other deciders, always in one order so that no two can deadlock; refuse an unknown chunk.';

REVOKE ALL ON FUNCTION corpus.lock_facts(chunk_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.lock_facts(chunk_ids bigint[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.lock_facts(chunk_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION corpus.lock_titles(document_ids bigint[], another_key text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 6c214b827b2ab4ff';

COMMENT ON FUNCTION corpus.lock_titles(document_ids bigint[], another_key text) IS 'Wait until nobody publishes under the titles of these documents, and keep publishers waiting until the transaction ends.';

REVOKE ALL ON FUNCTION corpus.lock_titles(document_ids bigint[], another_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.lock_titles(document_ids bigint[], another_key text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.lock_titles(document_ids bigint[], another_key text) TO pgkb_admin;

CREATE FUNCTION corpus.move_document(document_id bigint, source text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f49984f744ffb385';

COMMENT ON FUNCTION corpus.move_document(document_id bigint, source text) IS 'Give a document the address it is found at now; false when that is another document''s already.';

REVOKE ALL ON FUNCTION corpus.move_document(document_id bigint, source text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.move_document(document_id bigint, source text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.move_document(document_id bigint, source text) TO pgkb_admin;

CREATE FUNCTION corpus.names_edition(title text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 c6303298ac99ca32';

COMMENT ON FUNCTION corpus.names_edition(title text) IS 'Whether a title names a date or a version, so that it is one edition of something.';

REVOKE ALL ON FUNCTION corpus.names_edition(title text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.names_edition(title text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.names_edition(title text) TO pgkb_admin;

CREATE FUNCTION corpus.outranks(rival corpus.version, newcomer corpus.version) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d02cca42e872c386';

COMMENT ON FUNCTION corpus.outranks(rival corpus.version, newcomer corpus.version) IS 'Whether a published rival stays although this version comes: of two documents the one that applies from a later day, an undated one from the day it came.';

REVOKE ALL ON FUNCTION corpus.outranks(rival corpus.version, newcomer corpus.version) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.outranks(rival corpus.version, newcomer corpus.version) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.outranks(rival corpus.version, newcomer corpus.version) TO pgkb_admin;

CREATE FUNCTION corpus.passages(body text, metadata jsonb) RETURNS TABLE(chunk_index integer, start_at integer, content text, page_from integer, page_to integer, heading_path text[])
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 eb0e7f29e1cb6657';

COMMENT ON FUNCTION corpus.passages(body text, metadata jsonb) IS 'Cut a text into passages, and tell of each the pages it stands on and the headings it stands under.';

REVOKE ALL ON FUNCTION corpus.passages(body text, metadata jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.passages(body text, metadata jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.passages(body text, metadata jsonb) TO pgkb_admin;

CREATE FUNCTION corpus.publish_claims(task_ids bigint[], lease_tokens uuid[]) RETURNS TABLE(task_id bigint, outcome text, version_id bigint, document_id bigint, version integer, superseded_documents bigint[], failure text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 380509e83211cecd';

COMMENT ON FUNCTION corpus.publish_claims(task_ids bigint[], lease_tokens uuid[]) IS 'Publish the versions of claimed tasks and finish the tasks, all or none; who lost a claim publishes nothing.';

REVOKE ALL ON FUNCTION corpus.publish_claims(task_ids bigint[], lease_tokens uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.publish_claims(task_ids bigint[], lease_tokens uuid[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.publish_claims(task_ids bigint[], lease_tokens uuid[]) TO pgkb_admin;

CREATE FUNCTION corpus.publish_tasks(task_ids bigint[], lease_tokens uuid[]) RETURNS TABLE(task_id bigint, outcome text, version_id bigint, document_id bigint, version integer, superseded_documents bigint[], failure text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 43469ac557b7434a';

COMMENT ON FUNCTION corpus.publish_tasks(task_ids bigint[], lease_tokens uuid[]) IS 'Publish the versions of claimed tasks and finish the tasks, in one transaction; who lost a claim publishes nothing.';

REVOKE ALL ON FUNCTION corpus.publish_tasks(task_ids bigint[], lease_tokens uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.publish_tasks(task_ids bigint[], lease_tokens uuid[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.publish_tasks(task_ids bigint[], lease_tokens uuid[]) TO pgkb_admin;

CREATE FUNCTION corpus.publish_version(version_id bigint) RETURNS TABLE(document_id bigint, version integer, superseded_documents bigint[])
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 97eb47521d983516';

COMMENT ON FUNCTION corpus.publish_version(version_id bigint) IS 'Make a staged version the one that is seen, in one short transaction, and retire what it replaces.';

REVOKE ALL ON FUNCTION corpus.publish_version(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.publish_version(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.publish_version(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.quality_score(content_length integer, file_type text, tag_count integer, full_length integer DEFAULT 1000) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 51ff20aacc1dd6fa';

COMMENT ON FUNCTION corpus.quality_score(content_length integer, file_type text, tag_count integer, full_length integer) IS '0 to 100: length 0-40 (full at one chunk size) + type (PDF 30, DOCX 25, HTML 20, TXT 15) + tags (none 0, one or two 15, three or more 30).';

REVOKE ALL ON FUNCTION corpus.quality_score(content_length integer, file_type text, tag_count integer, full_length integer) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.quality_score(content_length integer, file_type text, tag_count integer, full_length integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.quality_score(content_length integer, file_type text, tag_count integer, full_length integer) TO pgkb_admin;

CREATE FUNCTION corpus.release_corrected(version_id bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 868ab9f98a0d2efc';

COMMENT ON FUNCTION corpus.release_corrected(version_id bigint) IS 'Publish again what versions of its document held back by a title that this one, which corrects them, no longer has; what another version outranks stays behind that one.';

REVOKE ALL ON FUNCTION corpus.release_corrected(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.release_corrected(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.release_corrected(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.release_outranked(version_id bigint, day_before date) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f1a303a4e584ff65';

COMMENT ON FUNCTION corpus.release_outranked(version_id bigint, day_before date) IS 'Publish again what a version held back before its title or day was corrected; what another version outranks stays behind that one.';

REVOKE ALL ON FUNCTION corpus.release_outranked(version_id bigint, day_before date) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.release_outranked(version_id bigint, day_before date) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.release_outranked(version_id bigint, day_before date) TO pgkb_admin;

CREATE FUNCTION corpus.release_version(version_id bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 61fc3d02fcb3b50c';

COMMENT ON FUNCTION corpus.release_version(version_id bigint) IS 'Judge a superseded version anew: publish it again, or put it behind what outranks it.';

REVOKE ALL ON FUNCTION corpus.release_version(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.release_version(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.remove_owned(owner text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 fb09ec4f862567c7';

COMMENT ON FUNCTION corpus.remove_owned(owner text) IS 'Remove the private documents of an owner with all their versions, also those shared with others; returns how many.';

REVOKE ALL ON FUNCTION corpus.remove_owned(owner text) FROM PUBLIC;

CREATE FUNCTION corpus.reserve_titles(task_ids bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ec89cd8f8286a4e2';

COMMENT ON FUNCTION corpus.reserve_titles(task_ids bigint[]) IS 'Take the locks of a corpus.publish_tasks that follows in this transaction: who reserves later publishes later where titles meet.';

REVOKE ALL ON FUNCTION corpus.reserve_titles(task_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.reserve_titles(task_ids bigint[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.reserve_titles(task_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION corpus.restore_version(version_id bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8f560d03bd58db33';

COMMENT ON FUNCTION corpus.restore_version(version_id bigint) IS 'Publish a superseded version again: what corpus.retire_version did, taken back. Its passages are what they were.';

REVOKE ALL ON FUNCTION corpus.restore_version(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.restore_version(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.retire_version(version_id bigint, successor_id bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 75a99b9c336e834f';

COMMENT ON FUNCTION corpus.retire_version(version_id bigint, successor_id bigint) IS 'Take a published version out of the search because another took over, or none; it stays for as_of and old citations.';

REVOKE ALL ON FUNCTION corpus.retire_version(version_id bigint, successor_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.retire_version(version_id bigint, successor_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.retire_version(version_id bigint, successor_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.rival_key(title text, source text, effective_date date) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 36844ea27b25ebb5';

COMMENT ON FUNCTION corpus.rival_key(title text, source text, effective_date date) IS 'The key by which a version replaces other documents of its title; NULL when its title alone is no reason to.';

REVOKE ALL ON FUNCTION corpus.rival_key(title text, source text, effective_date date) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.rival_key(title text, source text, effective_date date) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.rival_key(title text, source text, effective_date date) TO pgkb_admin;

CREATE FUNCTION corpus.rivals_of(version_id bigint) RETURNS SETOF corpus.version
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b0c778033ce7320c';

COMMENT ON FUNCTION corpus.rivals_of(version_id bigint) IS 'The published versions that cannot stay published beside this one: of its document, or of its title in the same scope and source family.';

REVOKE ALL ON FUNCTION corpus.rivals_of(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.rivals_of(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.rivals_of(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.scope_for(la_code text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, owner text DEFAULT NULL::text, principals text[] DEFAULT NULL::text[]) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1e2162c5e0206813';

COMMENT ON FUNCTION corpus.scope_for(la_code text, school_urn text, owner text, principals text[]) IS 'The scope of a document for these readers, made when it is new.';

REVOKE ALL ON FUNCTION corpus.scope_for(la_code text, school_urn text, owner text, principals text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.scope_for(la_code text, school_urn text, owner text, principals text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.scope_for(la_code text, school_urn text, owner text, principals text[]) TO pgkb_admin;

CREATE FUNCTION corpus.scoped_tags(tags text[], scope_ids bigint[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d4231b01d4ea7d37';

COMMENT ON FUNCTION corpus.scoped_tags(tags text[], scope_ids bigint[]) IS 'Each of these tags in each of these scopes, as one word: those of a chunk and those a question asks for have one in common where the chunk is in one of the scopes and carries one of the tags.';

REVOKE ALL ON FUNCTION corpus.scoped_tags(tags text[], scope_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.scoped_tags(tags text[], scope_ids bigint[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.scoped_tags(tags text[], scope_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION corpus.set_status(chunk_ids bigint[], status text, actor text DEFAULT NULL::text, reason text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 a98c71f0dd6c0c60';

COMMENT ON FUNCTION corpus.set_status(chunk_ids bigint[], status text, actor text, reason text) IS 'Decide on chunks along the allowed edges (corpus.status_edge), audited; returns how many changed. All or none.';

REVOKE ALL ON FUNCTION corpus.set_status(chunk_ids bigint[], status text, actor text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.set_status(chunk_ids bigint[], status text, actor text, reason text) TO pgkb_admin;

CREATE FUNCTION corpus.set_tags(chunk_ids bigint[], tags text[], actor text DEFAULT NULL::text, reason text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 c356b27f8be7a64d';

COMMENT ON FUNCTION corpus.set_tags(chunk_ids bigint[], tags text[], actor text, reason text) IS 'Give chunks other topic slugs, and the quality that follows; returns how many changed.';

REVOKE ALL ON FUNCTION corpus.set_tags(chunk_ids bigint[], tags text[], actor text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.set_tags(chunk_ids bigint[], tags text[], actor text, reason text) TO pgkb_admin;

CREATE FUNCTION corpus.settle_version(version_id bigint, OUT document_id bigint, OUT version integer, OUT superseded_documents bigint[], OUT goes_live boolean) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 932042216c1c9f85';

COMMENT ON FUNCTION corpus.settle_version(version_id bigint, OUT document_id bigint, OUT version integer, OUT superseded_documents bigint[], OUT goes_live boolean) IS 'Make a staged version the published one and retire what it replaces; when it goes live the caller exposes it, in the same transaction.';

REVOKE ALL ON FUNCTION corpus.settle_version(version_id bigint, OUT document_id bigint, OUT version integer, OUT superseded_documents bigint[], OUT goes_live boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.settle_version(version_id bigint, OUT document_id bigint, OUT version integer, OUT superseded_documents bigint[], OUT goes_live boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.settle_version(version_id bigint, OUT document_id bigint, OUT version integer, OUT superseded_documents bigint[], OUT goes_live boolean) TO pgkb_admin;

CREATE FUNCTION corpus.source_host(source text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 50de2d45738dca4c';

COMMENT ON FUNCTION corpus.source_host(source text) IS 'Host of an address, lower case, without www; NULL when the source is not an address.';

REVOKE ALL ON FUNCTION corpus.source_host(source text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.source_host(source text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.source_host(source text) TO pgkb_admin;

CREATE FUNCTION corpus.stage_document(source text, title text, body text, file_type text, la_code text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, owner text DEFAULT NULL::text, principals text[] DEFAULT NULL::text[], tags text[] DEFAULT '{}'::text[], authority text DEFAULT NULL::text, document_type text DEFAULT NULL::text, effective_date date DEFAULT NULL::date, metadata jsonb DEFAULT '{}'::jsonb, lease_holder text DEFAULT NULL::text, title_is_stated boolean DEFAULT true, origin text DEFAULT NULL::text, other_sources text[] DEFAULT '{}'::text[]) RETURNS TABLE(outcome text, kept_as text, document_id bigint, version_id bigint, existing_document_id bigint, existing_source text, chunk_count integer, task_id bigint, lease_token uuid)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 7095677e586c8e22';

COMMENT ON FUNCTION corpus.stage_document(source text, title text, body text, file_type text, la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text, effective_date date, metadata jsonb, lease_holder text, title_is_stated boolean, origin text, other_sources text[]) IS 'Store a parsed text as a version nobody sees yet, unless it is there already; the caller embeds and publishes it.';

REVOKE ALL ON FUNCTION corpus.stage_document(source text, title text, body text, file_type text, la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text, effective_date date, metadata jsonb, lease_holder text, title_is_stated boolean, origin text, other_sources text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.stage_document(source text, title text, body text, file_type text, la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text, effective_date date, metadata jsonb, lease_holder text, title_is_stated boolean, origin text, other_sources text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.stage_document(source text, title text, body text, file_type text, la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text, effective_date date, metadata jsonb, lease_holder text, title_is_stated boolean, origin text, other_sources text[]) TO pgkb_admin;

CREATE FUNCTION corpus.supersede(document_id bigint, successor_id bigint, actor text DEFAULT NULL::text, reason text DEFAULT NULL::text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0c4ea5167bf1224b';

COMMENT ON FUNCTION corpus.supersede(document_id bigint, successor_id bigint, actor text, reason text) IS 'Say that another document of the same scope took over, where titles do not tell; returns the version that is superseded by it.';

REVOKE ALL ON FUNCTION corpus.supersede(document_id bigint, successor_id bigint, actor text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.supersede(document_id bigint, successor_id bigint, actor text, reason text) TO pgkb_admin;

CREATE FUNCTION corpus.title_key(title text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b76f7a78091a848e';

COMMENT ON FUNCTION corpus.title_key(title text) IS 'Folded title without dates and version words; NULL when what is left is too generic to supersede by.';

REVOKE ALL ON FUNCTION corpus.title_key(title text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.title_key(title text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.title_key(title text) TO pgkb_admin;

CREATE FUNCTION corpus.undate_title(title text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 404148c1792c16fa';

COMMENT ON FUNCTION corpus.undate_title(title text) IS 'A folded title without dates and version words.';

REVOKE ALL ON FUNCTION corpus.undate_title(title text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.undate_title(title text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.undate_title(title text) TO pgkb_admin;

CREATE FUNCTION corpus.undo_supersession(version_id bigint, actor text DEFAULT NULL::text, reason text DEFAULT NULL::text) RETURNS TABLE(document_id bigint, version integer, stands_alone boolean, retired_version bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 33086af697e0ff6e';

COMMENT ON FUNCTION corpus.undo_supersession(version_id bigint, actor text, reason text) IS 'Take back that another version took over: a superseded version is published again, its passages as they were before.';

REVOKE ALL ON FUNCTION corpus.undo_supersession(version_id bigint, actor text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.undo_supersession(version_id bigint, actor text, reason text) TO pgkb_admin;

CREATE FUNCTION corpus.withdraw(document_id bigint, successor_id bigint DEFAULT NULL::bigint, reason text DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d4a6b7b7980b315a';

COMMENT ON FUNCTION corpus.withdraw(document_id bigint, successor_id bigint, reason text) IS 'Take a document out of the search because its source is gone, with or without another document that took over; false when none is published.';

REVOKE ALL ON FUNCTION corpus.withdraw(document_id bigint, successor_id bigint, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.withdraw(document_id bigint, successor_id bigint, reason text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.withdraw(document_id bigint, successor_id bigint, reason text) TO pgkb_admin;

CREATE TRIGGER chunk_fact__check_transition BEFORE UPDATE OF status ON corpus.chunk_fact FOR EACH ROW EXECUTE FUNCTION corpus.chunk_fact__check_transition();

CREATE TRIGGER chunk_fact__note_decisions AFTER UPDATE ON corpus.chunk_fact REFERENCING OLD TABLE AS old_fact NEW TABLE AS new_fact FOR EACH STATEMENT EXECUTE FUNCTION corpus.chunk_fact__note_decisions();

CREATE TRIGGER chunk_fact__rate BEFORE UPDATE OF tags ON corpus.chunk_fact FOR EACH ROW EXECUTE FUNCTION corpus.chunk_fact__rate();

CREATE SCHEMA crawl;

COMMENT ON SCHEMA crawl IS 'Web sites that are visited, what is known of their pages, and the runs that visit them.';

GRANT USAGE ON SCHEMA crawl TO pgkb_app;
GRANT USAGE ON SCHEMA crawl TO pgkb_ingest;
GRANT USAGE ON SCHEMA crawl TO pgkb_admin;

CREATE TYPE crawl.step AS (
	action text,
	wait interval,
	visit_id bigint,
	url text,
	host text,
	depth smallint,
	wanted boolean,
	etag text,
	last_modified text,
	robots text,
	failures integer,
	missing_text text
);

COMMENT ON COLUMN crawl.step.action IS 'robots (read it), probe, sitemap, page, wait (the task is ready again later) or done.';

COMMENT ON COLUMN crawl.step.depth IS 'Links away from a seed.';

COMMENT ON COLUMN crawl.step.etag IS 'To be sent back byte for byte.';

COMMENT ON COLUMN crawl.step.failures IS 'How often in a row that could not be read.';

COMMENT ON COLUMN crawl.step.host IS 'Its host.';

COMMENT ON COLUMN crawl.step.last_modified IS 'To be sent back byte for byte.';

COMMENT ON COLUMN crawl.step.missing_text IS 'What the host says of an address that does not exist, where it answers with 200.';

COMMENT ON COLUMN crawl.step.robots IS 'robots.txt of the host.';

COMMENT ON COLUMN crawl.step.url IS 'The address to ask for.';

COMMENT ON COLUMN crawl.step.visit_id IS 'The visit.';

COMMENT ON COLUMN crawl.step.wait IS 'How long until the task is ready again.';

COMMENT ON COLUMN crawl.step.wanted IS 'Its text is kept.';

COMMENT ON TYPE crawl.step IS 'What a worker is to do next for a run.';

CREATE TABLE crawl.host (
    host text NOT NULL,
    robots text,
    robots_status smallint,
    robots_hash bytea,
    robots_fetched_at timestamp with time zone,
    robots_expires_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    robots_failures integer DEFAULT 0 NOT NULL,
    robots_delay interval,
    site_delay interval DEFAULT '00:00:01'::interval NOT NULL,
    missing_text text,
    next_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    held_by_task bigint,
    held_token uuid,
    CONSTRAINT host_is_held_with_a_token CHECK (((held_by_task IS NULL) = (held_token IS NULL)))
)
WITH (fillfactor='70');

COMMENT ON COLUMN crawl.host.held_by_task IS 'The task whose worker is asking it now; void when that worker has lost the task.';

COMMENT ON COLUMN crawl.host.held_token IS 'The lease it asks under.';

COMMENT ON COLUMN crawl.host.host IS 'Host, with the port when that is not the usual one.';

COMMENT ON COLUMN crawl.host.missing_text IS 'What it says with 200 of an address that does not exist; NULL where it says 404, as it should.';

COMMENT ON COLUMN crawl.host.next_at IS 'Nobody asks before this instant.';

COMMENT ON COLUMN crawl.host.robots IS 'Its robots.txt; empty when it has none and everything is allowed, NULL when that is not known.';

COMMENT ON COLUMN crawl.host.robots_delay IS 'The delay it asks for, by Crawl-delay or Request-rate.';

COMMENT ON COLUMN crawl.host.robots_expires_at IS 'When it is to be read again.';

COMMENT ON COLUMN crawl.host.robots_failures IS 'How often in a row it could not be read.';

COMMENT ON COLUMN crawl.host.robots_fetched_at IS 'When robots was read.';

COMMENT ON COLUMN crawl.host.robots_hash IS 'SHA-256 of robots: a change opens blocked pages again.';

COMMENT ON COLUMN crawl.host.robots_status IS 'What the host answered the last time; NULL when it did not.';

COMMENT ON COLUMN crawl.host.site_delay IS 'The delay of the sites that are on it.';

COMMENT ON TABLE crawl.host IS 'A host that is asked: its robots.txt, and when somebody may ask it next.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE crawl.host TO pgkb_ingest;
GRANT SELECT ON TABLE crawl.host TO pgkb_admin;

CREATE TABLE crawl.job (
    job_id bigint NOT NULL,
    site_id bigint NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    reason text,
    requested_by text DEFAULT SESSION_USER NOT NULL,
    accepts_loss boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    resumed_at timestamp with time zone,
    finished_at timestamp with time zone,
    requests integer DEFAULT 0 NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    parsed integer DEFAULT 0 NOT NULL,
    known integer DEFAULT 0 NOT NULL,
    lost integer DEFAULT 0 NOT NULL,
    retired integer DEFAULT 0 NOT NULL,
    current_url text,
    CONSTRAINT job_is_finished_with_a_state CHECK (((finished_at IS NULL) = (state = ANY (ARRAY['pending'::text, 'running'::text, 'paused'::text])))),
    CONSTRAINT job_state_is_known CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'paused'::text, 'done'::text, 'cancelled'::text, 'stopped'::text])))
)
WITH (fillfactor='70');

COMMENT ON COLUMN crawl.job.accepts_loss IS 'Somebody has said that the pages are really gone.';

COMMENT ON COLUMN crawl.job.bytes IS 'Bytes that came, unpacked.';

COMMENT ON COLUMN crawl.job.created_at IS 'When it was asked for.';

COMMENT ON COLUMN crawl.job.current_url IS 'The page that is being fetched.';

COMMENT ON COLUMN crawl.job.finished_at IS 'When it ended.';

COMMENT ON COLUMN crawl.job.job_id IS 'Key, and the subject of its task.';

COMMENT ON COLUMN crawl.job.known IS 'Pages with a document when it began.';

COMMENT ON COLUMN crawl.job.lost IS 'Of these, how many were not there this time.';

COMMENT ON COLUMN crawl.job.parsed IS 'Pages whose text was read; the others had not changed.';

COMMENT ON COLUMN crawl.job.reason IS 'Why it ended before every page was seen.';

COMMENT ON COLUMN crawl.job.requested_by IS 'Who asked for it, or the schedule.';

COMMENT ON COLUMN crawl.job.requests IS 'Pages and sitemaps asked for.';

COMMENT ON COLUMN crawl.job.resumed_at IS 'When somebody let it go on: its time counts from then, as a rest is none.';

COMMENT ON COLUMN crawl.job.retired IS 'Documents taken out of the search at its end.';

COMMENT ON COLUMN crawl.job.site_id IS 'Its site.';

COMMENT ON COLUMN crawl.job.started_at IS 'When its first page was taken.';

COMMENT ON COLUMN crawl.job.state IS 'pending, running, paused, done, cancelled (somebody said so) or stopped (something was wrong).';

COMMENT ON TABLE crawl.job IS 'A run over a site. While it is open, the task crawl_job of its job_id stands for it.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE crawl.job TO pgkb_ingest;
GRANT SELECT ON TABLE crawl.job TO pgkb_admin;

CREATE TABLE crawl.policy_page (
    pack text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    phrases text[] NOT NULL,
    unless text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT policy_page_has_phrases CHECK ((cardinality(phrases) > 0))
);

COMMENT ON COLUMN crawl.policy_page.name IS 'Name people know.';

COMMENT ON COLUMN crawl.policy_page.pack IS 'The pack it came with.';

COMMENT ON COLUMN crawl.policy_page.phrases IS 'What the words or the address of a link say; one that begins with = must be all that is said.';

COMMENT ON COLUMN crawl.policy_page.slug IS 'Key within the pack.';

COMMENT ON COLUMN crawl.policy_page.unless IS 'What they must not say besides.';

COMMENT ON TABLE crawl.policy_page IS 'Kinds of policies of a school, by what links to them say: of a school''s site only these are kept.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE crawl.policy_page TO pgkb_ingest;
GRANT SELECT ON TABLE crawl.policy_page TO pgkb_admin;

CREATE TABLE crawl.site (
    site_id bigint NOT NULL,
    name text NOT NULL,
    la_code text,
    school_urn text,
    domain text,
    seeds text[] NOT NULL,
    prefixes text[] DEFAULT '{}'::text[] NOT NULL,
    document_type text,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    max_depth smallint DEFAULT 2 NOT NULL,
    max_pages integer DEFAULT 500 NOT NULL,
    max_bytes bigint DEFAULT 500000000 NOT NULL,
    max_time interval DEFAULT '06:00:00'::interval NOT NULL,
    delay interval DEFAULT '00:00:01'::interval NOT NULL,
    loss_limit real DEFAULT 0.3 NOT NULL,
    schedule text,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    next_run_at timestamp with time zone,
    paused boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT site_budgets_are_positive CHECK (((max_pages > 0) AND (max_bytes > 0) AND (max_time > '00:00:00'::interval))),
    CONSTRAINT site_delay_is_sane CHECK (((delay >= '00:00:00'::interval) AND (delay <= '00:01:00'::interval))),
    CONSTRAINT site_depth_is_small CHECK (((max_depth >= 0) AND (max_depth <= 10))),
    CONSTRAINT site_has_a_seed CHECK (((cardinality(seeds) >= 1) AND (cardinality(seeds) <= 100))),
    CONSTRAINT site_has_one_owner CHECK ((num_nonnulls(la_code, school_urn, domain) = 1)),
    CONSTRAINT site_loss_limit_is_a_share CHECK (((loss_limit >= (0)::double precision) AND (loss_limit <= (1)::double precision)))
);

COMMENT ON COLUMN crawl.site.created_at IS 'When it was added.';

COMMENT ON COLUMN crawl.site.delay IS 'The least time between two requests to one host; robots.txt may ask for more.';

COMMENT ON COLUMN crawl.site.document_type IS 'What its documents are, e.g. school_policy.';

COMMENT ON COLUMN crawl.site.domain IS 'The national domain it is; its documents hold everywhere.';

COMMENT ON COLUMN crawl.site.la_code IS 'The authority whose site it is.';

COMMENT ON COLUMN crawl.site.loss_limit IS 'The share of known pages that may be lost in one run before it stops.';

COMMENT ON COLUMN crawl.site.max_bytes IS 'Bytes of one run at most, unpacked.';

COMMENT ON COLUMN crawl.site.max_depth IS 'How many links away from a seed pages may be.';

COMMENT ON COLUMN crawl.site.max_pages IS 'Requests of one run at most.';

COMMENT ON COLUMN crawl.site.max_time IS 'How long one run may take.';

COMMENT ON COLUMN crawl.site.name IS 'Name people know.';

COMMENT ON COLUMN crawl.site.next_run_at IS 'When the schedule is due next.';

COMMENT ON COLUMN crawl.site.paused IS 'Its schedule rests.';

COMMENT ON COLUMN crawl.site.prefixes IS 'Addresses that pages must begin with; empty: any page of the sites of the seeds.';

COMMENT ON COLUMN crawl.site.schedule IS 'When it is visited: five fields as in cron; NULL is never.';

COMMENT ON COLUMN crawl.site.school_urn IS 'The school whose site it is; its documents get the school''s authority.';

COMMENT ON COLUMN crawl.site.seeds IS 'Addresses a run begins with.';

COMMENT ON COLUMN crawl.site.site_id IS 'Key.';

COMMENT ON COLUMN crawl.site.tags IS 'Topic slugs its documents get.';

COMMENT ON COLUMN crawl.site.time_zone IS 'The zone its schedule is meant in.';

COMMENT ON TABLE crawl.site IS 'A web site that is visited: the local offer of an authority, a school, or a national domain.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE crawl.site TO pgkb_ingest;
GRANT SELECT ON TABLE crawl.site TO pgkb_admin;

CREATE TABLE crawl.url (
    url_id bigint NOT NULL,
    site_id bigint NOT NULL,
    url text NOT NULL,
    depth smallint NOT NULL,
    wanted boolean NOT NULL,
    document_id bigint,
    etag text,
    etag_lies boolean DEFAULT false NOT NULL,
    last_modified text,
    last_modified_at timestamp with time zone,
    body_hash bytea,
    content_hash bytea,
    extractor text,
    version integer,
    is_archived boolean DEFAULT false NOT NULL,
    archived_at timestamp with time zone,
    blocked_by_robots boolean DEFAULT false NOT NULL,
    failure_streak integer DEFAULT 0 NOT NULL,
    missing_streak integer DEFAULT 0 NOT NULL,
    reason text,
    last_checked timestamp with time zone,
    last_changed timestamp with time zone,
    next_check timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT url_archived_has_a_day CHECK ((is_archived = (archived_at IS NOT NULL)))
)
WITH (fillfactor='70');

COMMENT ON COLUMN crawl.url.archived_at IS 'When it was found gone.';

COMMENT ON COLUMN crawl.url.blocked_by_robots IS 'robots.txt forbids it.';

COMMENT ON COLUMN crawl.url.body_hash IS 'SHA-256 of the bytes: equal ones are not read again.';

COMMENT ON COLUMN crawl.url.content_hash IS 'Hash of the extracted text (corpus.content_hash).';

COMMENT ON COLUMN crawl.url.depth IS 'Links away from a seed, the fewest known.';

COMMENT ON COLUMN crawl.url.document_id IS 'The document with its text: its own, or of the page it is a copy of.';

COMMENT ON COLUMN crawl.url.etag IS 'As the site sent it, byte for byte.';

COMMENT ON COLUMN crawl.url.etag_lies IS 'Once the text was another under the same etag: it is not sent back any more.';

COMMENT ON COLUMN crawl.url.extractor IS 'The extractor that read it; another one reads it anew.';

COMMENT ON COLUMN crawl.url.failure_streak IS 'Runs in a row in which it could not be read.';

COMMENT ON COLUMN crawl.url.is_archived IS 'It is gone and its document is retired.';

COMMENT ON COLUMN crawl.url.last_changed IS 'When its text was last found new.';

COMMENT ON COLUMN crawl.url.last_checked IS 'When it was last asked for or judged.';

COMMENT ON COLUMN crawl.url.last_modified IS 'As the site sent it, byte for byte.';

COMMENT ON COLUMN crawl.url.last_modified_at IS 'The instant that means; NULL when it means none.';

COMMENT ON COLUMN crawl.url.missing_streak IS 'Runs in a row in which there was no such page, or it asked not to be kept, or said nothing.';

COMMENT ON COLUMN crawl.url.next_check IS 'Runs that begin earlier leave it out.';

COMMENT ON COLUMN crawl.url.reason IS 'Why it gave nothing the last time.';

COMMENT ON COLUMN crawl.url.site_id IS 'Its site.';

COMMENT ON COLUMN crawl.url.url IS 'Its address in one spelling.';

COMMENT ON COLUMN crawl.url.url_id IS 'Key.';

COMMENT ON COLUMN crawl.url.version IS 'The version of the document it made last.';

COMMENT ON COLUMN crawl.url.wanted IS 'Its text is kept; false of a page that is read for its links alone.';

COMMENT ON TABLE crawl.url IS 'A page of a site as it was when it was last seen.';

GRANT SELECT ON TABLE crawl.url TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE crawl.url TO pgkb_ingest;
GRANT SELECT ON TABLE crawl.url TO pgkb_admin;

CREATE TABLE crawl.visit (
    visit_id bigint NOT NULL,
    job_id bigint NOT NULL,
    url text NOT NULL,
    host text NOT NULL,
    kind text DEFAULT 'page'::text NOT NULL,
    depth smallint NOT NULL,
    wanted boolean DEFAULT true NOT NULL,
    ready_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    was_known boolean DEFAULT false NOT NULL,
    outcome text,
    reason text,
    successor text,
    finished_at timestamp with time zone,
    priority integer DEFAULT 0 NOT NULL,
    CONSTRAINT visit_is_finished_with_an_outcome CHECK (((outcome IS NULL) = (finished_at IS NULL))),
    CONSTRAINT visit_kind_is_known CHECK ((kind = ANY (ARRAY['page'::text, 'sitemap'::text, 'probe'::text]))),
    CONSTRAINT visit_outcome_is_known CHECK ((outcome = ANY (ARRAY['new'::text, 'changed'::text, 'unchanged'::text, 'duplicate'::text, 'read'::text, 'moved'::text, 'gone'::text, 'missing'::text, 'withdrawn'::text, 'empty'::text, 'needs_post'::text, 'blocked'::text, 'failed'::text, 'outside'::text])))
)
WITH (fillfactor='70');

COMMENT ON COLUMN crawl.visit.attempts IS 'How often it was taken.';

COMMENT ON COLUMN crawl.visit.depth IS 'Links away from a seed.';

COMMENT ON COLUMN crawl.visit.finished_at IS 'When its outcome was known.';

COMMENT ON COLUMN crawl.visit.host IS 'Its host.';

COMMENT ON COLUMN crawl.visit.job_id IS 'Its run.';

COMMENT ON COLUMN crawl.visit.kind IS 'page, sitemap (a list of pages) or probe (an address that cannot exist).';

COMMENT ON COLUMN crawl.visit.outcome IS 'new, changed, unchanged, duplicate (of another page), read (for its links), moved, gone (for good), missing, withdrawn (asks not to be kept), empty (says nothing any more), needs_post (its text comes by POST), blocked (by robots.txt), failed or outside.';

COMMENT ON COLUMN crawl.visit.priority IS 'Its turn, lowest first: three kinds take turns, 0, 3, 6 ... what a run begins with, 1, 4, 7 ... new pages as they are found, 2, 5, 8 ... known ones, seen longest ago first.';

COMMENT ON COLUMN crawl.visit.ready_at IS 'Not before this instant, after a failure.';

COMMENT ON COLUMN crawl.visit.reason IS 'Why, where the outcome does not say it all.';

COMMENT ON COLUMN crawl.visit.successor IS 'Where it moved to, or what it is a copy of.';

COMMENT ON COLUMN crawl.visit.url IS 'The address.';

COMMENT ON COLUMN crawl.visit.visit_id IS 'Key.';

COMMENT ON COLUMN crawl.visit.wanted IS 'Its text is kept; false when only its links count.';

COMMENT ON COLUMN crawl.visit.was_known IS 'It had a document when the run began.';

COMMENT ON TABLE crawl.visit IS 'A page a run goes to; those without an outcome are its frontier, and outlive whoever works on it.';

GRANT SELECT ON TABLE crawl.visit TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE crawl.visit TO pgkb_ingest;
GRANT SELECT ON TABLE crawl.visit TO pgkb_admin;

ALTER TABLE crawl.job ALTER COLUMN job_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME crawl.job_job_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE crawl.site ALTER COLUMN site_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME crawl.site_site_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE crawl.url ALTER COLUMN url_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME crawl.url_url_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE crawl.visit ALTER COLUMN visit_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME crawl.visit_visit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY crawl.host
    ADD CONSTRAINT host_pk PRIMARY KEY (host);

ALTER TABLE ONLY crawl.job
    ADD CONSTRAINT job_pk PRIMARY KEY (job_id);

ALTER TABLE ONLY crawl.policy_page
    ADD CONSTRAINT policy_page_pk PRIMARY KEY (pack, slug);

ALTER TABLE ONLY crawl.site
    ADD CONSTRAINT site_once_per_owner UNIQUE NULLS NOT DISTINCT (la_code, school_urn, domain);

ALTER TABLE ONLY crawl.site
    ADD CONSTRAINT site_pk PRIMARY KEY (site_id);

ALTER TABLE ONLY crawl.url
    ADD CONSTRAINT url_once_per_site UNIQUE (site_id, url);

ALTER TABLE ONLY crawl.url
    ADD CONSTRAINT url_pk PRIMARY KEY (url_id);

ALTER TABLE ONLY crawl.visit
    ADD CONSTRAINT visit_once_per_job UNIQUE (job_id, url);

ALTER TABLE ONLY crawl.visit
    ADD CONSTRAINT visit_pk PRIMARY KEY (visit_id);

ALTER TABLE ONLY crawl.job
    ADD CONSTRAINT job_site_fk FOREIGN KEY (site_id) REFERENCES crawl.site(site_id) ON DELETE CASCADE;

ALTER TABLE ONLY crawl.policy_page
    ADD CONSTRAINT policy_page_pack_fk FOREIGN KEY (pack) REFERENCES terms.pack(pack) ON DELETE CASCADE;

ALTER TABLE ONLY crawl.site
    ADD CONSTRAINT site_authority_fk FOREIGN KEY (la_code) REFERENCES place.authority(gss);

ALTER TABLE ONLY crawl.site
    ADD CONSTRAINT site_school_fk FOREIGN KEY (school_urn) REFERENCES place.school(urn);

ALTER TABLE ONLY crawl.url
    ADD CONSTRAINT url_document_fk FOREIGN KEY (document_id) REFERENCES corpus.document(document_id) ON DELETE SET NULL;

ALTER TABLE ONLY crawl.url
    ADD CONSTRAINT url_site_fk FOREIGN KEY (site_id) REFERENCES crawl.site(site_id) ON DELETE CASCADE;

ALTER TABLE ONLY crawl.visit
    ADD CONSTRAINT visit_job_fk FOREIGN KEY (job_id) REFERENCES crawl.job(job_id) ON DELETE CASCADE;

CREATE UNIQUE INDEX job_one_open_per_site_idx ON crawl.job USING btree (site_id) WHERE (finished_at IS NULL);

CREATE INDEX job_site_idx ON crawl.job USING btree (site_id, job_id);

CREATE INDEX site_due_idx ON crawl.site USING btree (next_run_at) WHERE (NOT paused);

CREATE INDEX site_school_idx ON crawl.site USING btree (school_urn);

CREATE INDEX url_content_hash_idx ON crawl.url USING btree (site_id, content_hash);

CREATE INDEX url_document_idx ON crawl.url USING btree (document_id);

CREATE INDEX visit_frontier_idx ON crawl.visit USING btree (job_id, priority, depth, visit_id) WHERE (outcome IS NULL);

CREATE INDEX visit_sitemap_idx ON crawl.visit USING btree (job_id) WHERE (kind = 'sitemap'::text);

CREATE VIEW crawl.job_report AS
 SELECT j.job_id,
    j.site_id,
    s.name AS site,
    s.la_code,
    s.school_urn,
    s.domain,
    j.state,
    j.reason,
    j.requested_by,
    j.created_at,
    j.started_at,
    j.finished_at,
    j.requests,
    s.max_pages,
    j.bytes,
    j.parsed,
    (COALESCE(c.found, (0)::bigint))::integer AS found,
    (COALESCE(c.waiting, (0)::bigint))::integer AS waiting,
    (COALESCE(c.new, (0)::bigint))::integer AS new,
    (COALESCE(c.changed, (0)::bigint))::integer AS changed,
    (COALESCE(c.unchanged, (0)::bigint))::integer AS unchanged,
    (COALESCE(c.duplicate, (0)::bigint))::integer AS duplicate,
    (COALESCE(c.moved, (0)::bigint))::integer AS moved,
    (COALESCE(c.gone, (0)::bigint))::integer AS gone,
    (COALESCE(c.blocked, (0)::bigint))::integer AS blocked,
    (COALESCE(c.failed, (0)::bigint))::integer AS failed,
    (COALESCE(c.skipped, (0)::bigint))::integer AS skipped,
    j.known,
    j.lost,
    j.retired,
    j.current_url
   FROM ((crawl.job j
     JOIN crawl.site s ON ((j.site_id = s.site_id)))
     LEFT JOIN LATERAL ( SELECT count(*) AS found,
            count(*) FILTER (WHERE (v.outcome IS NULL)) AS waiting,
            count(*) FILTER (WHERE (v.outcome = 'new'::text)) AS new,
            count(*) FILTER (WHERE (v.outcome = 'changed'::text)) AS changed,
            count(*) FILTER (WHERE (v.outcome = 'unchanged'::text)) AS unchanged,
            count(*) FILTER (WHERE (v.outcome = 'duplicate'::text)) AS duplicate,
            count(*) FILTER (WHERE (v.outcome = 'moved'::text)) AS moved,
            count(*) FILTER (WHERE (v.outcome = ANY (ARRAY['gone'::text, 'missing'::text, 'withdrawn'::text, 'empty'::text]))) AS gone,
            count(*) FILTER (WHERE (v.outcome = 'blocked'::text)) AS blocked,
            count(*) FILTER (WHERE (v.outcome = ANY (ARRAY['failed'::text, 'needs_post'::text]))) AS failed,
            count(*) FILTER (WHERE (v.outcome = ANY (ARRAY['read'::text, 'outside'::text]))) AS skipped
           FROM crawl.visit v
          WHERE ((v.job_id = j.job_id) AND (v.kind = 'page'::text))) c ON (true));

COMMENT ON COLUMN crawl.job_report.blocked IS 'Pages robots.txt forbids.';

COMMENT ON COLUMN crawl.job_report.bytes IS 'Bytes that came.';

COMMENT ON COLUMN crawl.job_report.changed IS 'Pages with a new version.';

COMMENT ON COLUMN crawl.job_report.created_at IS 'When it was asked for.';

COMMENT ON COLUMN crawl.job_report.current_url IS 'The page that is being fetched.';

COMMENT ON COLUMN crawl.job_report.domain IS 'The national domain it is.';

COMMENT ON COLUMN crawl.job_report.duplicate IS 'Pages with the text of another.';

COMMENT ON COLUMN crawl.job_report.failed IS 'Pages that could not be read, those whose text comes by POST among them.';

COMMENT ON COLUMN crawl.job_report.finished_at IS 'When it ended.';

COMMENT ON COLUMN crawl.job_report.found IS 'Pages it knows of.';

COMMENT ON COLUMN crawl.job_report.gone IS 'Pages that are not there, ask not to be kept, or say nothing any more.';

COMMENT ON COLUMN crawl.job_report.job_id IS 'The run.';

COMMENT ON COLUMN crawl.job_report.known IS 'Pages with a document when it began.';

COMMENT ON COLUMN crawl.job_report.la_code IS 'The authority whose site it is.';

COMMENT ON COLUMN crawl.job_report.lost IS 'Of these, how many were not there.';

COMMENT ON COLUMN crawl.job_report.max_pages IS 'How many it may ask for.';

COMMENT ON COLUMN crawl.job_report.moved IS 'Addresses that lead to another.';

COMMENT ON COLUMN crawl.job_report.new IS 'Pages with a text that was not known.';

COMMENT ON COLUMN crawl.job_report.parsed IS 'Pages whose text was read.';

COMMENT ON COLUMN crawl.job_report.reason IS 'Why it ended early.';

COMMENT ON COLUMN crawl.job_report.requested_by IS 'Who asked for it.';

COMMENT ON COLUMN crawl.job_report.requests IS 'Pages and sitemaps asked for.';

COMMENT ON COLUMN crawl.job_report.retired IS 'Documents taken out at its end.';

COMMENT ON COLUMN crawl.job_report.school_urn IS 'The school whose site it is.';

COMMENT ON COLUMN crawl.job_report.site IS 'Name of the site.';

COMMENT ON COLUMN crawl.job_report.site_id IS 'Its site.';

COMMENT ON COLUMN crawl.job_report.skipped IS 'Pages read for their links alone, or of other sites.';

COMMENT ON COLUMN crawl.job_report.started_at IS 'When it began.';

COMMENT ON COLUMN crawl.job_report.state IS 'As in crawl.job.';

COMMENT ON COLUMN crawl.job_report.unchanged IS 'Pages as they were.';

COMMENT ON COLUMN crawl.job_report.waiting IS 'Pages it has yet to see.';

COMMENT ON VIEW crawl.job_report IS 'Every run: how far it is, what it found, why it ended.';

GRANT SELECT ON TABLE crawl.job_report TO pgkb_app;
GRANT SELECT ON TABLE crawl.job_report TO pgkb_ingest;
GRANT SELECT ON TABLE crawl.job_report TO pgkb_admin;

CREATE VIEW crawl.site_overview AS
 SELECT s.site_id,
    s.name,
    s.la_code,
    s.school_urn,
    s.domain,
    s.schedule,
    s.next_run_at,
    s.paused,
    u.pages,
    u.documents,
    u.archived,
    u.blocked,
    u.failing,
    l.job_id AS last_job,
    l.state AS last_state,
    l.reason AS last_reason,
    COALESCE(l.finished_at, l.started_at, l.created_at) AS last_active
   FROM ((crawl.site s
     LEFT JOIN LATERAL ( SELECT (count(*))::integer AS pages,
            (count(DISTINCT k.document_id) FILTER (WHERE (NOT k.is_archived)))::integer AS documents,
            (count(*) FILTER (WHERE k.is_archived))::integer AS archived,
            (count(*) FILTER (WHERE k.blocked_by_robots))::integer AS blocked,
            (count(*) FILTER (WHERE (k.failure_streak > 0)))::integer AS failing
           FROM crawl.url k
          WHERE (k.site_id = s.site_id)) u ON (true))
     LEFT JOIN LATERAL ( SELECT j.job_id,
            j.state,
            j.reason,
            j.finished_at,
            j.started_at,
            j.created_at
           FROM crawl.job j
          WHERE (j.site_id = s.site_id)
          ORDER BY j.job_id DESC
         LIMIT 1) l ON (true));

COMMENT ON COLUMN crawl.site_overview.archived IS 'Pages that are gone.';

COMMENT ON COLUMN crawl.site_overview.blocked IS 'Pages robots.txt forbids.';

COMMENT ON COLUMN crawl.site_overview.documents IS 'Documents they gave.';

COMMENT ON COLUMN crawl.site_overview.domain IS 'The national domain it is.';

COMMENT ON COLUMN crawl.site_overview.failing IS 'Pages that could not be read the last time.';

COMMENT ON COLUMN crawl.site_overview.la_code IS 'The authority whose site it is.';

COMMENT ON COLUMN crawl.site_overview.last_active IS 'When it last did something.';

COMMENT ON COLUMN crawl.site_overview.last_job IS 'Its last run.';

COMMENT ON COLUMN crawl.site_overview.last_reason IS 'Why it ended early.';

COMMENT ON COLUMN crawl.site_overview.last_state IS 'How that stands or ended.';

COMMENT ON COLUMN crawl.site_overview.name IS 'Its name.';

COMMENT ON COLUMN crawl.site_overview.next_run_at IS 'When that is due next.';

COMMENT ON COLUMN crawl.site_overview.pages IS 'Pages that are known.';

COMMENT ON COLUMN crawl.site_overview.paused IS 'Its schedule rests.';

COMMENT ON COLUMN crawl.site_overview.schedule IS 'When it is visited.';

COMMENT ON COLUMN crawl.site_overview.school_urn IS 'The school whose site it is.';

COMMENT ON COLUMN crawl.site_overview.site_id IS 'The site.';

COMMENT ON VIEW crawl.site_overview IS 'Every site: how it stands, when it was and will be visited.';

GRANT SELECT ON TABLE crawl.site_overview TO pgkb_app;
GRANT SELECT ON TABLE crawl.site_overview TO pgkb_ingest;
GRANT SELECT ON TABLE crawl.site_overview TO pgkb_admin;

CREATE FUNCTION crawl.add_sitemaps(job_id bigint, sitemaps text[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 dbb087b2e0eb2aae';

COMMENT ON FUNCTION crawl.add_sitemaps(job_id bigint, sitemaps text[]) IS 'Put sitemaps into the frontier of a run, each once and twenty at most.';

REVOKE ALL ON FUNCTION crawl.add_sitemaps(job_id bigint, sitemaps text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.add_sitemaps(job_id bigint, sitemaps text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.add_sitemaps(job_id bigint, sitemaps text[]) TO pgkb_admin;

CREATE FUNCTION crawl.add_visits(job_id bigint, links jsonb, depth integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0f23727c8565bbee';

COMMENT ON FUNCTION crawl.add_visits(job_id bigint, links jsonb, depth integer) IS 'Put addresses a run has found into its frontier, each once; returns how many are new to it.';

REVOKE ALL ON FUNCTION crawl.add_visits(job_id bigint, links jsonb, depth integer) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.add_visits(job_id bigint, links jsonb, depth integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.add_visits(job_id bigint, links jsonb, depth integer) TO pgkb_admin;

CREATE FUNCTION crawl.begin_job(job_id bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b5879f40ff40414a';

COMMENT ON FUNCTION crawl.begin_job(job_id bigint) IS 'Begin a run: its frontier is the seeds and every known page that is due.';

REVOKE ALL ON FUNCTION crawl.begin_job(job_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.begin_job(job_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.begin_job(job_id bigint) TO pgkb_admin;

CREATE FUNCTION crawl.cancel_job(job_id bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 c8a92e5d6048d92d';

COMMENT ON FUNCTION crawl.cancel_job(job_id bigint) IS 'Call a run off; what it has stored stays, what it has not seen stays as it was.';

REVOKE ALL ON FUNCTION crawl.cancel_job(job_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.cancel_job(job_id bigint) TO pgkb_app;
GRANT ALL ON FUNCTION crawl.cancel_job(job_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.cancel_job(job_id bigint) TO pgkb_admin;

CREATE FUNCTION crawl.check_job(job_id bigint, states text[]) RETURNS crawl.job
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e94bfa19a0b178bb';

COMMENT ON FUNCTION crawl.check_job(job_id bigint, states text[]) IS 'A run that is in one of these states, locked; refuse an unknown one and one in another state.';

REVOKE ALL ON FUNCTION crawl.check_job(job_id bigint, states text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.check_job(job_id bigint, states text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.check_job(job_id bigint, states text[]) TO pgkb_admin;

CREATE FUNCTION crawl.close_visit(task_id bigint, lease_token uuid, visit crawl.visit, outcome text, reason text DEFAULT NULL::text, successor text DEFAULT NULL::text, size bigint DEFAULT 0, was_parsed boolean DEFAULT false, was_asked boolean DEFAULT true, keeps_document boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 89fb354cf84c3088';

COMMENT ON FUNCTION crawl.close_visit(task_id bigint, lease_token uuid, visit crawl.visit, outcome text, reason text, successor text, size bigint, was_parsed boolean, was_asked boolean, keeps_document boolean) IS 'Be done with a visit: its outcome, the turn of its host, and the run''s task ready for whoever comes next.';

REVOKE ALL ON FUNCTION crawl.close_visit(task_id bigint, lease_token uuid, visit crawl.visit, outcome text, reason text, successor text, size bigint, was_parsed boolean, was_asked boolean, keeps_document boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.close_visit(task_id bigint, lease_token uuid, visit crawl.visit, outcome text, reason text, successor text, size bigint, was_parsed boolean, was_asked boolean, keeps_document boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.close_visit(task_id bigint, lease_token uuid, visit crawl.visit, outcome text, reason text, successor text, size bigint, was_parsed boolean, was_asked boolean, keeps_document boolean) TO pgkb_admin;

CREATE FUNCTION crawl.cron_field(field text, lowest integer, highest integer) RETURNS integer[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 95f3e4cec5d745ba';

COMMENT ON FUNCTION crawl.cron_field(field text, lowest integer, highest integer) IS 'The numbers a field of a schedule names: *, 5, 1-5, */10, 8-18/2 and lists of these.';

REVOKE ALL ON FUNCTION crawl.cron_field(field text, lowest integer, highest integer) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.cron_field(field text, lowest integer, highest integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.cron_field(field text, lowest integer, highest integer) TO pgkb_admin;

CREATE FUNCTION crawl.fence(task_id bigint, lease_token uuid, visit_id bigint) RETURNS SETOF crawl.visit
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 132da2cafa08c3ae';

COMMENT ON FUNCTION crawl.fence(task_id bigint, lease_token uuid, visit_id bigint) IS 'The visit a worker is at, if it still holds the run''s task and the run goes on; no row otherwise.';

REVOKE ALL ON FUNCTION crawl.fence(task_id bigint, lease_token uuid, visit_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.fence(task_id bigint, lease_token uuid, visit_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.fence(task_id bigint, lease_token uuid, visit_id bigint) TO pgkb_admin;

CREATE FUNCTION crawl.finish_job(job_id bigint, state text, reason text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 dad4efa8a3980af2';

COMMENT ON FUNCTION crawl.finish_job(job_id bigint, state text, reason text) IS 'End a run as done or stopped; one that is done settles what was lost, unless that is too much: then it is stopped and nothing is retired.';

REVOKE ALL ON FUNCTION crawl.finish_job(job_id bigint, state text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.finish_job(job_id bigint, state text, reason text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.finish_job(job_id bigint, state text, reason text) TO pgkb_admin;

CREATE FUNCTION crawl.free_host(task_id bigint, lease_token uuid, was_asked boolean DEFAULT true, wait interval DEFAULT '00:00:00'::interval) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 34e4c3630f96fa34';

COMMENT ON FUNCTION crawl.free_host(task_id bigint, lease_token uuid, was_asked boolean, wait interval) IS 'Let others ask the host a task held, once its delay has passed from now; at once when it was not asked.';

REVOKE ALL ON FUNCTION crawl.free_host(task_id bigint, lease_token uuid, was_asked boolean, wait interval) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.free_host(task_id bigint, lease_token uuid, was_asked boolean, wait interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.free_host(task_id bigint, lease_token uuid, was_asked boolean, wait interval) TO pgkb_admin;

CREATE FUNCTION crawl.host_of(url text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 3e7b38b7981bdf08';

COMMENT ON FUNCTION crawl.host_of(url text) IS 'The host of an address as requests to it are counted: lower case, with a port that is not the usual one.';

REVOKE ALL ON FUNCTION crawl.host_of(url text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.host_of(url text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.host_of(url text) TO pgkb_admin;

CREATE FUNCTION crawl.http_date(header text) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ac0a0c157cd819f0';

COMMENT ON FUNCTION crawl.http_date(header text) IS 'The instant a Last-Modified header means; NULL when it means none, or one no page can have.';

REVOKE ALL ON FUNCTION crawl.http_date(header text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.http_date(header text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.http_date(header text) TO pgkb_admin;

CREATE FUNCTION crawl.is_held(page crawl.url, wanted boolean) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 64ecbf1bfffbfa21';

COMMENT ON FUNCTION crawl.is_held(page crawl.url, wanted boolean) IS 'Whether what a page said when it was last read is in the corpus, or need not be: then the same again is no news.';

REVOKE ALL ON FUNCTION crawl.is_held(page crawl.url, wanted boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.is_held(page crawl.url, wanted boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.is_held(page crawl.url, wanted boolean) TO pgkb_admin;

CREATE FUNCTION crawl.is_mass_loss(job crawl.job, seen integer DEFAULT NULL::integer) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b1da1eb6e9342571';

COMMENT ON FUNCTION crawl.is_mass_loss(job crawl.job, seen integer) IS 'Whether a run has lost so many known pages that something is wrong with the site rather than with them.';

REVOKE ALL ON FUNCTION crawl.is_mass_loss(job crawl.job, seen integer) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.is_mass_loss(job crawl.job, seen integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.is_mass_loss(job crawl.job, seen integer) TO pgkb_admin;

CREATE FUNCTION crawl.keep_frontier(job_id bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e4dba8b26a1246ee';

COMMENT ON FUNCTION crawl.keep_frontier(job_id bigint) IS 'Leave to the next run what this one found and has not looked at.';

REVOKE ALL ON FUNCTION crawl.keep_frontier(job_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.keep_frontier(job_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.keep_frontier(job_id bigint) TO pgkb_admin;

CREATE FUNCTION crawl.load_policy_pages(pack text, rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b626b8508399f928';

COMMENT ON FUNCTION crawl.load_policy_pages(pack text, rows jsonb) IS 'Replace the kinds of policies a pack looks for on the sites of schools; returns how many there are.';

REVOKE ALL ON FUNCTION crawl.load_policy_pages(pack text, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.load_policy_pages(pack text, rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.load_policy_pages(pack text, rows jsonb) TO pgkb_admin;

CREATE FUNCTION crawl.next_run(schedule text, after timestamp with time zone, time_zone text DEFAULT 'UTC'::text) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 fa8e970b58530c3b';

COMMENT ON FUNCTION crawl.next_run(schedule text, after timestamp with time zone, time_zone text) IS 'The first instant after another that a schedule names; NULL for no schedule, or none within four years.';

REVOKE ALL ON FUNCTION crawl.next_run(schedule text, after timestamp with time zone, time_zone text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.next_run(schedule text, after timestamp with time zone, time_zone text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.next_run(schedule text, after timestamp with time zone, time_zone text) TO pgkb_admin;

CREATE FUNCTION crawl.next_step(job_id bigint, task_id bigint, lease_token uuid, extractor text) RETURNS SETOF crawl.step
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 501b13dd4ee45476';

COMMENT ON FUNCTION crawl.next_step(job_id bigint, task_id bigint, lease_token uuid, extractor text) IS 'What the holder of a run''s task is to do now: read robots.txt, fetch a sitemap or a page, wait, or nothing more; takes the turn of the host.';

REVOKE ALL ON FUNCTION crawl.next_step(job_id bigint, task_id bigint, lease_token uuid, extractor text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.next_step(job_id bigint, task_id bigint, lease_token uuid, extractor text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.next_step(job_id bigint, task_id bigint, lease_token uuid, extractor text) TO pgkb_admin;

CREATE FUNCTION crawl.note_answer(visit crawl.visit, etag text, last_modified text, body_hash bytea, extractor text, content_hash bytea DEFAULT NULL::bytea) RETURNS crawl.url
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 44827e49244c1a91';

COMMENT ON FUNCTION crawl.note_answer(visit crawl.visit, etag text, last_modified text, body_hash bytea, extractor text, content_hash bytea) IS 'Keep what a page answered beside what is known of it; the page as it was before.';

REVOKE ALL ON FUNCTION crawl.note_answer(visit crawl.visit, etag text, last_modified text, body_hash bytea, extractor text, content_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.note_answer(visit crawl.visit, etag text, last_modified text, body_hash bytea, extractor text, content_hash bytea) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.note_answer(visit crawl.visit, etag text, last_modified text, body_hash bytea, extractor text, content_hash bytea) TO pgkb_admin;

CREATE FUNCTION crawl.open_job(site_id bigint, requested_by text DEFAULT SESSION_USER, OUT job_id bigint, OUT is_new boolean) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2171d4af1a5ffe28';

COMMENT ON FUNCTION crawl.open_job(site_id bigint, requested_by text, OUT job_id bigint, OUT is_new boolean) IS 'Ask for a run over a site; one that waits, runs or is paused is the answer, and no second one is made.';

REVOKE ALL ON FUNCTION crawl.open_job(site_id bigint, requested_by text, OUT job_id bigint, OUT is_new boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.open_job(site_id bigint, requested_by text, OUT job_id bigint, OUT is_new boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.open_job(site_id bigint, requested_by text, OUT job_id bigint, OUT is_new boolean) TO pgkb_admin;

CREATE FUNCTION crawl.pause_job(job_id bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 983eb733b21f7969';

COMMENT ON FUNCTION crawl.pause_job(job_id bigint) IS 'Let a run rest; the page under way is finished first.';

REVOKE ALL ON FUNCTION crawl.pause_job(job_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.pause_job(job_id bigint) TO pgkb_app;
GRANT ALL ON FUNCTION crawl.pause_job(job_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.pause_job(job_id bigint) TO pgkb_admin;

CREATE FUNCTION crawl.purge_jobs(kept_for interval DEFAULT '30 days'::interval) RETURNS integer
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f981c6552c595b27';

COMMENT ON FUNCTION crawl.purge_jobs(kept_for interval) IS 'Remove runs that ended long ago, but for the last of each site; returns how many. What is known of pages stays.';

REVOKE ALL ON FUNCTION crawl.purge_jobs(kept_for interval) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.purge_jobs(kept_for interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.purge_jobs(kept_for interval) TO pgkb_admin;

CREATE FUNCTION crawl.record_blocked(task_id bigint, lease_token uuid, visit_id bigint) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 6b6118c487f0c65c';

COMMENT ON FUNCTION crawl.record_blocked(task_id bigint, lease_token uuid, visit_id bigint) IS 'Be done with a page or sitemap that robots.txt forbids; it was not asked for, and what is known of it stays. NULL when the task is lost.';

REVOKE ALL ON FUNCTION crawl.record_blocked(task_id bigint, lease_token uuid, visit_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.record_blocked(task_id bigint, lease_token uuid, visit_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.record_blocked(task_id bigint, lease_token uuid, visit_id bigint) TO pgkb_admin;

CREATE FUNCTION crawl.record_bytes(task_id bigint, lease_token uuid, visit_id bigint, size bigint, etag text, last_modified text, body_hash bytea, extractor text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 5cb1c4e7e29d9d44';

COMMENT ON FUNCTION crawl.record_bytes(task_id bigint, lease_token uuid, visit_id bigint, size bigint, etag text, last_modified text, body_hash bytea, extractor text) IS 'Be done with a page that is as it was, if its answer tells so without its text being read: unchanged, else read; NULL when the task is lost.';

REVOKE ALL ON FUNCTION crawl.record_bytes(task_id bigint, lease_token uuid, visit_id bigint, size bigint, etag text, last_modified text, body_hash bytea, extractor text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.record_bytes(task_id bigint, lease_token uuid, visit_id bigint, size bigint, etag text, last_modified text, body_hash bytea, extractor text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.record_bytes(task_id bigint, lease_token uuid, visit_id bigint, size bigint, etag text, last_modified text, body_hash bytea, extractor text) TO pgkb_admin;

CREATE FUNCTION crawl.record_failed(task_id bigint, lease_token uuid, visit_id bigint, reason text, may_pass boolean DEFAULT false, wait interval DEFAULT NULL::interval, etag text DEFAULT NULL::text, last_modified text DEFAULT NULL::text, size bigint DEFAULT 0) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 6242f615185e58e4';

COMMENT ON FUNCTION crawl.record_failed(task_id bigint, lease_token uuid, visit_id bigint, reason text, may_pass boolean, wait interval, etag text, last_modified text, size bigint) IS 'A page or sitemap could not be read: try again later in this run when that may help, else be done with it; retrying, unchanged or failed, NULL when the task is lost.';

REVOKE ALL ON FUNCTION crawl.record_failed(task_id bigint, lease_token uuid, visit_id bigint, reason text, may_pass boolean, wait interval, etag text, last_modified text, size bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.record_failed(task_id bigint, lease_token uuid, visit_id bigint, reason text, may_pass boolean, wait interval, etag text, last_modified text, size bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.record_failed(task_id bigint, lease_token uuid, visit_id bigint, reason text, may_pass boolean, wait interval, etag text, last_modified text, size bigint) TO pgkb_admin;

CREATE FUNCTION crawl.record_missing(task_id bigint, lease_token uuid, visit_id bigint, for_good boolean, reason text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f8a4b3d520ba0348';

COMMENT ON FUNCTION crawl.record_missing(task_id bigint, lease_token uuid, visit_id bigint, for_good boolean, reason text) IS 'Be done with a page that is not there: gone for good (410), or missing; NULL when the task is lost.';

REVOKE ALL ON FUNCTION crawl.record_missing(task_id bigint, lease_token uuid, visit_id bigint, for_good boolean, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.record_missing(task_id bigint, lease_token uuid, visit_id bigint, for_good boolean, reason text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.record_missing(task_id bigint, lease_token uuid, visit_id bigint, for_good boolean, reason text) TO pgkb_admin;

CREATE FUNCTION crawl.record_moved(task_id bigint, lease_token uuid, visit_id bigint, target text, is_inside boolean) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ad6d89e11dddd361';

COMMENT ON FUNCTION crawl.record_moved(task_id bigint, lease_token uuid, visit_id bigint, target text, is_inside boolean) IS 'Be done with an address that leads to another: that joins the frontier where it is of the site or a national one; moved or outside, NULL when the task is lost.';

REVOKE ALL ON FUNCTION crawl.record_moved(task_id bigint, lease_token uuid, visit_id bigint, target text, is_inside boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.record_moved(task_id bigint, lease_token uuid, visit_id bigint, target text, is_inside boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.record_moved(task_id bigint, lease_token uuid, visit_id bigint, target text, is_inside boolean) TO pgkb_admin;

CREATE FUNCTION crawl.record_page(task_id bigint, lease_token uuid, visit_id bigint, size bigint, etag text, last_modified text, body_hash bytea, extractor text, title text DEFAULT NULL::text, body text DEFAULT NULL::text, file_type text DEFAULT NULL::text, metadata jsonb DEFAULT '{}'::jsonb, canonical text DEFAULT NULL::text, links jsonb DEFAULT '[]'::jsonb, no_text text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 bfa55f6bb59d0d6e';

COMMENT ON FUNCTION crawl.record_page(task_id bigint, lease_token uuid, visit_id bigint, size bigint, etag text, last_modified text, body_hash bytea, extractor text, title text, body text, file_type text, metadata jsonb, canonical text, links jsonb, no_text text) IS 'Be done with a page whose text was read: its links join the frontier, and a new or changed text is staged; the outcome, NULL when the task is lost.';

REVOKE ALL ON FUNCTION crawl.record_page(task_id bigint, lease_token uuid, visit_id bigint, size bigint, etag text, last_modified text, body_hash bytea, extractor text, title text, body text, file_type text, metadata jsonb, canonical text, links jsonb, no_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.record_page(task_id bigint, lease_token uuid, visit_id bigint, size bigint, etag text, last_modified text, body_hash bytea, extractor text, title text, body text, file_type text, metadata jsonb, canonical text, links jsonb, no_text text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.record_page(task_id bigint, lease_token uuid, visit_id bigint, size bigint, etag text, last_modified text, body_hash bytea, extractor text, title text, body text, file_type text, metadata jsonb, canonical text, links jsonb, no_text text) TO pgkb_admin;

CREATE FUNCTION crawl.record_probe(task_id bigint, lease_token uuid, visit_id bigint, was_answered boolean, missing_text text, size bigint) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 fd43a3014f63dbfd';

COMMENT ON FUNCTION crawl.record_probe(task_id bigint, lease_token uuid, visit_id bigint, was_answered boolean, missing_text text, size bigint) IS 'Keep what a host says of an address that does not exist; read, NULL when the task is lost.';

REVOKE ALL ON FUNCTION crawl.record_probe(task_id bigint, lease_token uuid, visit_id bigint, was_answered boolean, missing_text text, size bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.record_probe(task_id bigint, lease_token uuid, visit_id bigint, was_answered boolean, missing_text text, size bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.record_probe(task_id bigint, lease_token uuid, visit_id bigint, was_answered boolean, missing_text text, size bigint) TO pgkb_admin;

CREATE FUNCTION crawl.record_robots(job_id bigint, task_id bigint, lease_token uuid, host text, status integer, robots text, delay interval DEFAULT NULL::interval, sitemaps text[] DEFAULT '{}'::text[], wait interval DEFAULT NULL::interval, probe text DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e17c145d4dad9476';

COMMENT ON FUNCTION crawl.record_robots(job_id bigint, task_id bigint, lease_token uuid, host text, status integer, robots text, delay interval, sitemaps text[], wait interval, probe text) IS 'Keep what a host''s robots.txt says for a day; false when the task is lost. NULL robots means that it could not be read: the host is left alone for a while.';

REVOKE ALL ON FUNCTION crawl.record_robots(job_id bigint, task_id bigint, lease_token uuid, host text, status integer, robots text, delay interval, sitemaps text[], wait interval, probe text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.record_robots(job_id bigint, task_id bigint, lease_token uuid, host text, status integer, robots text, delay interval, sitemaps text[], wait interval, probe text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.record_robots(job_id bigint, task_id bigint, lease_token uuid, host text, status integer, robots text, delay interval, sitemaps text[], wait interval, probe text) TO pgkb_admin;

CREATE FUNCTION crawl.record_sitemap(task_id bigint, lease_token uuid, visit_id bigint, size bigint, links jsonb DEFAULT '[]'::jsonb, sitemaps text[] DEFAULT '{}'::text[]) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 a880cf257986102f';

COMMENT ON FUNCTION crawl.record_sitemap(task_id bigint, lease_token uuid, visit_id bigint, size bigint, links jsonb, sitemaps text[]) IS 'Be done with a sitemap: the pages and sitemaps it lists join the frontier; read, NULL when the task is lost.';

REVOKE ALL ON FUNCTION crawl.record_sitemap(task_id bigint, lease_token uuid, visit_id bigint, size bigint, links jsonb, sitemaps text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.record_sitemap(task_id bigint, lease_token uuid, visit_id bigint, size bigint, links jsonb, sitemaps text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.record_sitemap(task_id bigint, lease_token uuid, visit_id bigint, size bigint, links jsonb, sitemaps text[]) TO pgkb_admin;

CREATE FUNCTION crawl.resume_job(job_id bigint, accept_loss boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9c9d1ffbf02ed3ec';

COMMENT ON FUNCTION crawl.resume_job(job_id bigint, accept_loss boolean) IS 'Go on with a run that was paused, or that stopped because too much was lost; accept_loss says that the pages are really gone.';

REVOKE ALL ON FUNCTION crawl.resume_job(job_id bigint, accept_loss boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.resume_job(job_id bigint, accept_loss boolean) TO pgkb_app;
GRANT ALL ON FUNCTION crawl.resume_job(job_id bigint, accept_loss boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.resume_job(job_id bigint, accept_loss boolean) TO pgkb_admin;

CREATE FUNCTION crawl.retire_page(url_id bigint, successor_id bigint, outcome text, reason text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e4b6c490488f53c0';

COMMENT ON FUNCTION crawl.retire_page(url_id bigint, successor_id bigint, outcome text, reason text) IS 'Archive a page and take its document out of the search, for good or because another page''s document took over; whether a document was retired.';

REVOKE ALL ON FUNCTION crawl.retire_page(url_id bigint, successor_id bigint, outcome text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.retire_page(url_id bigint, successor_id bigint, outcome text, reason text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.retire_page(url_id bigint, successor_id bigint, outcome text, reason text) TO pgkb_admin;

CREATE FUNCTION crawl.same_etag(one text, other text) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 bb0ea14fa407820b';

COMMENT ON FUNCTION crawl.same_etag(one text, other text) IS 'Whether two ETags name the same content: weak or not, and whatever a proxy that packs pages has put behind.';

REVOKE ALL ON FUNCTION crawl.same_etag(one text, other text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.same_etag(one text, other text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.same_etag(one text, other text) TO pgkb_admin;

CREATE FUNCTION crawl.set_site(la_code text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, domain text DEFAULT NULL::text, name text DEFAULT NULL::text, seeds text[] DEFAULT NULL::text[], prefixes text[] DEFAULT NULL::text[], document_type text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], max_depth integer DEFAULT NULL::integer, max_pages integer DEFAULT NULL::integer, max_bytes bigint DEFAULT NULL::bigint, max_time interval DEFAULT NULL::interval, delay interval DEFAULT NULL::interval, loss_limit real DEFAULT NULL::real, schedule text DEFAULT NULL::text, time_zone text DEFAULT NULL::text, paused boolean DEFAULT NULL::boolean) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1985a00496ac5f8a';

COMMENT ON FUNCTION crawl.set_site(la_code text, school_urn text, domain text, name text, seeds text[], prefixes text[], document_type text, tags text[], max_depth integer, max_pages integer, max_bytes bigint, max_time interval, delay interval, loss_limit real, schedule text, time_zone text, paused boolean) IS 'Add a site or change what is given of it; NULL leaves a setting as it is, an empty schedule ends it.';

REVOKE ALL ON FUNCTION crawl.set_site(la_code text, school_urn text, domain text, name text, seeds text[], prefixes text[], document_type text, tags text[], max_depth integer, max_pages integer, max_bytes bigint, max_time interval, delay interval, loss_limit real, schedule text, time_zone text, paused boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.set_site(la_code text, school_urn text, domain text, name text, seeds text[], prefixes text[], document_type text, tags text[], max_depth integer, max_pages integer, max_bytes bigint, max_time interval, delay interval, loss_limit real, schedule text, time_zone text, paused boolean) TO pgkb_app;
GRANT ALL ON FUNCTION crawl.set_site(la_code text, school_urn text, domain text, name text, seeds text[], prefixes text[], document_type text, tags text[], max_depth integer, max_pages integer, max_bytes bigint, max_time interval, delay interval, loss_limit real, schedule text, time_zone text, paused boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.set_site(la_code text, school_urn text, domain text, name text, seeds text[], prefixes text[], document_type text, tags text[], max_depth integer, max_pages integer, max_bytes bigint, max_time interval, delay interval, loss_limit real, schedule text, time_zone text, paused boolean) TO pgkb_admin;

CREATE FUNCTION crawl.settle_losses(job_id bigint) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 dbfdd19b034bbb15';

COMMENT ON FUNCTION crawl.settle_losses(job_id bigint) IS 'Say of every page a run did not find as it was what that means: retire it, wait for the next run, or let another take over; returns how many documents were retired.';

REVOKE ALL ON FUNCTION crawl.settle_losses(job_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.settle_losses(job_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.settle_losses(job_id bigint) TO pgkb_admin;

CREATE FUNCTION crawl.site_for(la_code text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, domain text DEFAULT NULL::text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0b9d5713ed80d0f3';

COMMENT ON FUNCTION crawl.site_for(la_code text, school_urn text, domain text) IS 'The site of an authority, a school or a national domain; made from the home page the registers know where there is none yet.';

REVOKE ALL ON FUNCTION crawl.site_for(la_code text, school_urn text, domain text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.site_for(la_code text, school_urn text, domain text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.site_for(la_code text, school_urn text, domain text) TO pgkb_admin;

CREATE FUNCTION crawl.start(la_code text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, domain text DEFAULT NULL::text, schools boolean DEFAULT false, everything boolean DEFAULT false, requested_by text DEFAULT SESSION_USER) RETURNS TABLE(job_id bigint, site_id bigint, site text, is_new boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 01ad6f4864d7fa13';

COMMENT ON FUNCTION crawl.start(la_code text, school_urn text, domain text, schools boolean, everything boolean, requested_by text) IS 'Ask for runs: over the site of an authority, of a school or of a national domain, over the schools of an authority, or over all sites.';

REVOKE ALL ON FUNCTION crawl.start(la_code text, school_urn text, domain text, schools boolean, everything boolean, requested_by text) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.start(la_code text, school_urn text, domain text, schools boolean, everything boolean, requested_by text) TO pgkb_app;
GRANT ALL ON FUNCTION crawl.start(la_code text, school_urn text, domain text, schools boolean, everything boolean, requested_by text) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.start(la_code text, school_urn text, domain text, schools boolean, everything boolean, requested_by text) TO pgkb_admin;

CREATE FUNCTION crawl.start_due() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d28128ad66422fce';

COMMENT ON FUNCTION crawl.start_due() IS 'Ask for runs over the sites whose schedule is due; returns how many.';

REVOKE ALL ON FUNCTION crawl.start_due() FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.start_due() TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.start_due() TO pgkb_admin;

CREATE FUNCTION crawl.take_turn(url text, most interval DEFAULT '00:00:10'::interval) RETURNS interval
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 fc92d6265d1e756c';

COMMENT ON FUNCTION crawl.take_turn(url text, most interval) IS 'Reserve the next request to the host of an address, for those who fetch single pages; returns how long to wait before it.';

REVOKE ALL ON FUNCTION crawl.take_turn(url text, most interval) FROM PUBLIC;
GRANT ALL ON FUNCTION crawl.take_turn(url text, most interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION crawl.take_turn(url text, most interval) TO pgkb_admin;

CREATE SCHEMA dba;

COMMENT ON SCHEMA dba IS 'What the indexes, tables and settings of this database need, and the statements that give it.';

GRANT USAGE ON SCHEMA dba TO pgkb_app;
GRANT USAGE ON SCHEMA dba TO pgkb_admin;

CREATE TABLE dba.index_build (
    index_name text NOT NULL,
    file_node oid NOT NULL,
    deletes_before bigint NOT NULL,
    noted_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON COLUMN dba.index_build.deletes_before IS 'The server''s count of deleted rows of the table when the build was noted.';

COMMENT ON COLUMN dba.index_build.file_node IS 'Its file; a rebuilt index has another.';

COMMENT ON COLUMN dba.index_build.index_name IS 'The index, with its schema.';

COMMENT ON COLUMN dba.index_build.noted_at IS 'When it was noted.';

COMMENT ON TABLE dba.index_build IS 'The last build of each vector index as dba.note_builds saw it: what was deleted since is counted from there.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE dba.index_build TO pgkb_admin;

CREATE TABLE dba.recall_result (
    run_id bigint NOT NULL,
    band text NOT NULL,
    selectivity double precision,
    queries integer NOT NULL,
    mean_recall double precision,
    worst_recall double precision,
    mean_ms double precision,
    exact_ms double precision,
    plans text
);

COMMENT ON COLUMN dba.recall_result.band IS 'everything, authority (national and one authority''s), tag (everything with one tag) or tiny (one scope, not national where another is, with one tag).';

COMMENT ON COLUMN dba.recall_result.exact_ms IS 'Mean milliseconds of the exact search.';

COMMENT ON COLUMN dba.recall_result.mean_ms IS 'Mean milliseconds of the search as planned.';

COMMENT ON COLUMN dba.recall_result.mean_recall IS 'Mean share of the exact best k that the search found; NULL when no question had an answer.';

COMMENT ON COLUMN dba.recall_result.plans IS 'How scopes were read, e.g. exact, index.';

COMMENT ON COLUMN dba.recall_result.queries IS 'Questions that had an answer to find.';

COMMENT ON COLUMN dba.recall_result.run_id IS 'The audit.';

COMMENT ON COLUMN dba.recall_result.selectivity IS 'Mean share of the searchable chunks that a question of this band could find.';

COMMENT ON COLUMN dba.recall_result.worst_recall IS 'The same of the worst question.';

COMMENT ON TABLE dba.recall_result IS 'What an audit found in one band of selectivity.';

GRANT SELECT,INSERT,DELETE ON TABLE dba.recall_result TO pgkb_admin;

CREATE TABLE dba.recall_run (
    run_id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    set_name text NOT NULL,
    chunks bigint NOT NULL,
    k integer NOT NULL,
    questions integer NOT NULL,
    real_questions integer NOT NULL,
    seconds double precision NOT NULL
);

COMMENT ON COLUMN dba.recall_run.at IS 'When.';

COMMENT ON COLUMN dba.recall_run.chunks IS 'Searchable chunks then.';

COMMENT ON COLUMN dba.recall_run.k IS 'How many best chunks were compared.';

COMMENT ON COLUMN dba.recall_run.questions IS 'How many questions were wanted; a band without anything to find has fewer.';

COMMENT ON COLUMN dba.recall_run.real_questions IS 'How many of them somebody had asked; the others were made from stored chunks.';

COMMENT ON COLUMN dba.recall_run.run_id IS 'Key; grows with time.';

COMMENT ON COLUMN dba.recall_run.seconds IS 'How long it took.';

COMMENT ON COLUMN dba.recall_run.set_name IS 'The embedding set that was searched.';

COMMENT ON TABLE dba.recall_run IS 'One recall audit: when, of what, with how many questions.';

GRANT SELECT,INSERT,DELETE ON TABLE dba.recall_run TO pgkb_admin;

ALTER TABLE dba.recall_run ALTER COLUMN run_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME dba.recall_run_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY dba.index_build
    ADD CONSTRAINT index_build_pk PRIMARY KEY (index_name);

ALTER TABLE ONLY dba.recall_result
    ADD CONSTRAINT recall_result_pk PRIMARY KEY (run_id, band);

ALTER TABLE ONLY dba.recall_run
    ADD CONSTRAINT recall_run_pk PRIMARY KEY (run_id);

ALTER TABLE ONLY dba.recall_result
    ADD CONSTRAINT recall_result_run_fk FOREIGN KEY (run_id) REFERENCES dba.recall_run(run_id) ON DELETE CASCADE;

CREATE VIEW dba.index_build_progress AS
 SELECT pid,
    relid AS table_oid,
    index_relid AS index_oid,
    ( SELECT format('%I.%I'::text, n.nspname, c.relname) AS format
           FROM (pg_class c
             JOIN pg_namespace n ON ((c.relnamespace = n.oid)))
          WHERE (c.oid = p.relid)) AS table_name,
    ( SELECT format('%I.%I'::text, n.nspname, c.relname) AS format
           FROM (pg_class c
             JOIN pg_namespace n ON ((c.relnamespace = n.oid)))
          WHERE (c.oid = p.index_relid)) AS index_name,
    command,
    phase,
    COALESCE(((blocks_done)::double precision / (NULLIF(blocks_total, 0))::double precision), ((tuples_done)::double precision / (NULLIF(tuples_total, 0))::double precision)) AS done,
    (lockers_total > lockers_done) AS waits
   FROM pg_stat_progress_create_index p
  WHERE (datname = current_database());

COMMENT ON COLUMN dba.index_build_progress.command IS 'The command, e.g. REINDEX CONCURRENTLY.';

COMMENT ON COLUMN dba.index_build_progress.done IS 'Share of the phase that is done; NULL is not known.';

COMMENT ON COLUMN dba.index_build_progress.index_name IS 'Name of the index.';

COMMENT ON COLUMN dba.index_build_progress.index_oid IS 'The index being built; 0 when it has none yet.';

COMMENT ON COLUMN dba.index_build_progress.phase IS 'The phase, as the server names it.';

COMMENT ON COLUMN dba.index_build_progress.pid IS 'The server process.';

COMMENT ON COLUMN dba.index_build_progress.table_name IS 'Name of the table.';

COMMENT ON COLUMN dba.index_build_progress.table_oid IS 'The table.';

COMMENT ON COLUMN dba.index_build_progress.waits IS 'Whether it waits for older transactions to end.';

COMMENT ON VIEW dba.index_build_progress IS 'Builds of indexes that run now. Builds of other logins are seen by superusers and pg_read_all_stats.';

GRANT SELECT ON TABLE dba.index_build_progress TO pgkb_admin;

CREATE VIEW dba.index_health AS
 SELECT index_name,
    table_name,
    kind,
    pg_size_pretty(bytes) AS size,
    bytes,
    live_rows,
    valid,
    ready,
    bloat,
    dead_rows,
    churn,
    last_vacuum,
    last_analyze,
    scans,
    build_progress,
        CASE
            WHEN (build_progress IS NOT NULL) THEN ('is being built: '::text || build_progress)
            WHEN (((NOT valid) OR (NOT ready)) AND leftover) THEN (('left by a rebuild that broke off; no query uses it: drop index concurrently '::text || index_name) || ';'::text)
            WHEN (index_name IN ( SELECT s.index_name
               FROM dba.spare_indexes() s(index_name))) THEN
            CASE
                WHEN active THEN 'upkeep drops it, as soon as every index that searches read is there'::text
                ELSE (('of an embedding set that is not active, which does not need it either: drop index concurrently '::text || index_name) || ';'::text)
            END
            WHEN ((NOT valid) OR (NOT ready)) THEN (('a build broke off; no query uses it: reindex index concurrently '::text || index_name) || ';'::text)
            WHEN (churn >= rebuild_after) THEN format('%s %% of its rows were replaced since it was built: reindex index concurrently %s;'::text, round(((100)::numeric * churn)), index_name)
            WHEN ((bloat >= 0.5) AND (bytes >= ((8 * 1024) * 1024))) THEN format('%s %% of it is empty: reindex index concurrently %s;'::text, round(((100)::numeric * bloat)), index_name)
            WHEN ((dead_rows)::numeric >= ((50)::numeric + (0.05 * (live_rows)::numeric))) THEN format('%s dead rows are in it: see dba.vacuum_plan'::text, dead_rows)
            WHEN ((NOT active) AND (live_rows > 0)) THEN 'of an embedding set that is not active: no search uses it'::text
            ELSE 'nothing to do'::text
        END AS advice
   FROM ( SELECT format('%I.%I'::text, n.nspname, c.relname) AS index_name,
            t.table_name,
            (a.amname)::text AS kind,
            pg_relation_size((c.oid)::regclass) AS bytes,
            COALESCE(v.live_rows,
                CASE
                    WHEN ((i.indpred IS NOT NULL) AND (c.reltuples >= (0)::double precision)) THEN (c.reltuples)::bigint
                    ELSE t.live_rows
                END) AS live_rows,
            i.indisvalid AS valid,
            i.indisready AS ready,
            (c.relname ~ '_cc(new|old)[0-9]*$'::text) AS leftover,
                CASE
                    WHEN (COALESCE((v.fresh_bytes)::double precision, b.fresh_bytes) IS NOT NULL) THEN round(GREATEST((0)::numeric, ((1)::numeric - ((COALESCE((v.fresh_bytes)::double precision, b.fresh_bytes))::numeric / (GREATEST(pg_relation_size((c.oid)::regclass), (1)::bigint))::numeric))), 3)
                    ELSE NULL::numeric
                END AS bloat,
            t.dead_rows,
            round((v.churn)::numeric, 3) AS churn,
            t.last_vacuum,
            t.last_analyze,
            pg_stat_get_numscans(c.oid) AS scans,
            ((p.phase || COALESCE(format(', %s %%'::text, round((((100)::double precision * p.done))::numeric)), ''::text)) ||
                CASE
                    WHEN p.waits THEN ', waits for older transactions'::text
                    ELSE ''::text
                END) AS build_progress,
            v.active,
            ( SELECT (s.value)::numeric AS value
                   FROM config.settings s
                  WHERE (s.name = 'kb.rebuild_after'::text)) AS rebuild_after
           FROM ((((((((pg_index i
             JOIN pg_class c ON ((i.indexrelid = c.oid)))
             JOIN pg_namespace n ON ((c.relnamespace = n.oid)))
             JOIN pg_am a ON ((c.relam = a.oid)))
             JOIN pg_class r ON ((i.indrelid = r.oid)))
             JOIN dba.our_table t ON ((i.indrelid = t.table_oid)))
             LEFT JOIN dba.vector_index v ON ((c.oid = v.index_oid)))
             LEFT JOIN dba.index_build_progress p ON ((c.oid = p.index_oid)))
             LEFT JOIN LATERAL ( SELECT ((8192)::double precision * ((1)::double precision + ceil((GREATEST(c.reltuples, (0)::real) / (floor((((8150)::numeric * 0.9) / ((12)::numeric + ((8)::numeric * ceil(((k.key_bytes)::numeric / 8.0)))))))::double precision)))) AS fresh_bytes
                   FROM ( SELECT sum(COALESCE((NULLIF(w.attlen, '-1'::integer))::integer, s.avg_width, 32)) AS key_bytes
                           FROM ((pg_attribute w
                             LEFT JOIN pg_attribute col ON (((i.indrelid = col.attrelid) AND (i.indkey[(w.attnum - 1)] = col.attnum))))
                             LEFT JOIN pg_stats s ON (((n.nspname = s.schemaname) AND (r.relname = s.tablename) AND (col.attname = s.attname) AND (NOT s.inherited))))
                          WHERE (w.attrelid = c.oid)) k
                  WHERE ((a.amname = 'btree'::name) AND (i.indpred IS NULL))) b ON (true))
          WHERE (c.relkind = 'i'::"char")) h
  ORDER BY bytes DESC, index_name;

COMMENT ON COLUMN dba.index_health.advice IS 'What to do, in words; "nothing to do" when all is well.';

COMMENT ON COLUMN dba.index_health.bloat IS 'Share of it that a fresh one would not need, estimated; NULL where it cannot be told (gin).';

COMMENT ON COLUMN dba.index_health.build_progress IS 'Where its build is; NULL when none runs.';

COMMENT ON COLUMN dba.index_health.bytes IS 'Its size.';

COMMENT ON COLUMN dba.index_health.churn IS 'Rows deleted since it was built, as a share of those of the table; of vector indexes.';

COMMENT ON COLUMN dba.index_health.dead_rows IS 'Dead rows of its table, still in it.';

COMMENT ON COLUMN dba.index_health.index_name IS 'Its name with its schema.';

COMMENT ON COLUMN dba.index_health.kind IS 'hnsw, gin, btree or hash.';

COMMENT ON COLUMN dba.index_health.last_analyze IS 'When its table was last analyzed.';

COMMENT ON COLUMN dba.index_health.last_vacuum IS 'When its table was last vacuumed.';

COMMENT ON COLUMN dba.index_health.live_rows IS 'Rows it holds, as the server counts them.';

COMMENT ON COLUMN dba.index_health.ready IS 'Whether writes maintain it.';

COMMENT ON COLUMN dba.index_health.scans IS 'How often it was read since the counting began.';

COMMENT ON COLUMN dba.index_health.size IS 'Its size for people.';

COMMENT ON COLUMN dba.index_health.table_name IS 'Its table.';

COMMENT ON COLUMN dba.index_health.valid IS 'Whether queries use it.';

COMMENT ON VIEW dba.index_health IS 'Every index of ours, the largest first, with what to do about it. Cheap: reads counters, no index.';

GRANT SELECT ON TABLE dba.index_health TO pgkb_admin;

CREATE VIEW dba.our_table AS
 SELECT c.oid AS table_oid,
    format('%I.%I'::text, n.nspname, c.relname) AS table_name,
    (c.relkind = 'p'::"char") AS partitioned,
    c.reloptions,
    c.relfrozenxid,
    c.reltoastrelid,
    COALESCE(NULLIF(pg_stat_get_live_tuples(c.oid), 0), (GREATEST(c.reltuples, (0)::real))::bigint) AS live_rows,
    pg_stat_get_dead_tuples(c.oid) AS dead_rows,
    pg_stat_get_tuples_deleted(c.oid) AS deleted_rows,
    pg_stat_get_mod_since_analyze(c.oid) AS changed_rows,
    GREATEST(pg_stat_get_last_vacuum_time(c.oid), pg_stat_get_last_autovacuum_time(c.oid)) AS last_vacuum,
    GREATEST(pg_stat_get_last_analyze_time(c.oid), pg_stat_get_last_autoanalyze_time(c.oid)) AS last_analyze
   FROM (pg_class c
     JOIN pg_namespace n ON ((c.relnamespace = n.oid)))
  WHERE ((c.relkind = ANY (ARRAY['r'::"char", 'p'::"char"])) AND (c.relpersistence <> 't'::"char") AND (pg_get_userbyid(c.relowner) = 'pgkb_owner'::name));

COMMENT ON COLUMN dba.our_table.changed_rows IS 'Rows changed since it was analyzed.';

COMMENT ON COLUMN dba.our_table.dead_rows IS 'Rows that are gone and still take room.';

COMMENT ON COLUMN dba.our_table.deleted_rows IS 'Rows deleted since the counting began.';

COMMENT ON COLUMN dba.our_table.last_analyze IS 'When it was last analyzed, by hand or not.';

COMMENT ON COLUMN dba.our_table.last_vacuum IS 'When it was last vacuumed, by hand or not.';

COMMENT ON COLUMN dba.our_table.live_rows IS 'Rows, as the server counts them.';

COMMENT ON COLUMN dba.our_table.partitioned IS 'Whether it only holds partitions.';

COMMENT ON COLUMN dba.our_table.relfrozenxid IS 'The oldest transaction id that may be in it.';

COMMENT ON COLUMN dba.our_table.reloptions IS 'Settings of its own.';

COMMENT ON COLUMN dba.our_table.reltoastrelid IS 'The table of its long values; 0 is none.';

COMMENT ON COLUMN dba.our_table.table_name IS 'Its name with its schema.';

COMMENT ON COLUMN dba.our_table.table_oid IS 'Its oid.';

COMMENT ON VIEW dba.our_table IS 'Every table of ours, with what the server counts about it.';

GRANT SELECT ON TABLE dba.our_table TO pgkb_admin;

CREATE VIEW dba.recall AS
 SELECT r.run_id,
    r.at,
    r.set_name,
    r.k,
    s.band,
    round((s.selectivity)::numeric, 5) AS selectivity,
    s.queries,
    round((s.mean_recall)::numeric, 4) AS mean_recall,
    round((s.worst_recall)::numeric, 4) AS worst_recall,
    round((s.mean_ms)::numeric, 1) AS mean_ms,
    round((s.exact_ms)::numeric, 1) AS exact_ms,
    s.plans,
    r.real_questions,
    COALESCE((s.mean_recall < (t.value)::double precision), false) AS alert
   FROM ((dba.recall_run r
     JOIN dba.recall_result s ON ((r.run_id = s.run_id)))
     JOIN config.settings t ON ((t.name = 'kb.recall_alert'::text)))
  ORDER BY r.run_id DESC, (array_position(ARRAY['everything'::text, 'authority'::text, 'tag'::text, 'tiny'::text], s.band));

COMMENT ON COLUMN dba.recall.alert IS 'Whether the mean is under kb.recall_alert.';

COMMENT ON COLUMN dba.recall.at IS 'When.';

COMMENT ON COLUMN dba.recall.band IS 'everything, authority, tag or tiny.';

COMMENT ON COLUMN dba.recall.exact_ms IS 'Mean milliseconds of the exact search.';

COMMENT ON COLUMN dba.recall.k IS 'How many best chunks were compared.';

COMMENT ON COLUMN dba.recall.mean_ms IS 'Mean milliseconds of the search as planned.';

COMMENT ON COLUMN dba.recall.mean_recall IS 'Mean recall.';

COMMENT ON COLUMN dba.recall.plans IS 'How scopes were read.';

COMMENT ON COLUMN dba.recall.queries IS 'Questions that had an answer to find.';

COMMENT ON COLUMN dba.recall.real_questions IS 'How many questions of the audit somebody had asked.';

COMMENT ON COLUMN dba.recall.run_id IS 'The audit.';

COMMENT ON COLUMN dba.recall.selectivity IS 'Mean share of the searchable chunks a question could find.';

COMMENT ON COLUMN dba.recall.set_name IS 'The embedding set that was searched.';

COMMENT ON COLUMN dba.recall.worst_recall IS 'Recall of the worst question.';

COMMENT ON VIEW dba.recall IS 'The recall audits, the latest first, a row for each band.';

GRANT SELECT ON TABLE dba.recall TO pgkb_admin;

CREATE VIEW dba.settings AS
 WITH fact AS (
         SELECT COALESCE(max(v.graph_bytes), (0)::bigint) AS graph_bytes,
            COALESCE(max(v.live_rows), (0)::bigint) AS graph_rows,
            ((COALESCE(sum(v.bytes) FILTER (WHERE v.active), (0)::numeric))::bigint + pg_indexes_size('search.text_index'::regclass)) AS hot_bytes
           FROM dba.vector_index v
        ), known AS (
         SELECT f.graph_bytes,
            f.graph_rows,
            f.hot_bytes,
            pg_size_bytes(current_setting('shared_buffers'::text)) AS buffers
           FROM fact f
        ), advised AS (
         SELECT a_1.name,
            current_setting(a_1.name) AS value,
            a_1.recommended,
            a_1.good,
            a_1.why
           FROM (known k
             CROSS JOIN LATERAL ( VALUES ('shared_buffers'::text,(pg_size_pretty(k.hot_bytes) || ' or more'::text),(k.buffers >= k.hot_bytes),('The vector and text indexes in use are read at random: what does not fit here is '::text || 'read from the system again and again. Not above a quarter of the memory.'::text)), ('effective_cache_size'::text,(pg_size_pretty((2 * k.buffers)) || ' or more'::text),(pg_size_bytes(current_setting('effective_cache_size'::text)) >= (2 * k.buffers)),'Tells the planner that indexes are cached; half of the memory is a good value.'::text), ('maintenance_work_mem'::text,(pg_size_pretty(k.graph_bytes) || ' or more'::text),(pg_size_bytes(current_setting('maintenance_work_mem'::text)) >= k.graph_bytes),('The graph of the largest vector index is built in it; a build that does not fit '::text || 'takes several times longer.'::text)), ('work_mem'::text,'4 MB or more'::text,(pg_size_bytes(current_setting('work_mem'::text)) >= 4194304),('A filtered search goes on in the vector index until this, times '::text || 'hnsw.scan_mem_multiplier, is used up.'::text)), ('max_parallel_maintenance_workers'::text,
                        CASE
                            WHEN (k.graph_rows < 50000) THEN '0 or more'::text
                            ELSE '1 or more'::text
                        END,((k.graph_rows < 50000) OR ((current_setting('max_parallel_maintenance_workers'::text))::integer > 0)),'So many helpers build a vector index: as many as there are cores, up to 4.'::text), ('random_page_cost'::text,'1.1, not above 2'::text,((current_setting('random_page_cost'::text))::double precision <= (2)::double precision),('On solid state disks a random page costs hardly more than the next one; with 4 the '::text || 'planner turns from indexes to scans.'::text)), ('jit'::text,'off'::text,(current_setting('jit'::text) = 'off'::text),'Searches are short: compiling them costs more than it saves.'::text), ('autovacuum'::text,'on'::text,(current_setting('autovacuum'::text) = 'on'::text),'Without it dead rows stay, and the planner knows no sizes.'::text), ('track_counts'::text,'on'::text,(current_setting('track_counts'::text) = 'on'::text),'Without it nobody knows what is dead: not autovacuum, and not these views.'::text)) a_1(name, recommended, good, why))
        UNION ALL
         SELECT ('autovacuum of '::text || t.table_name) AS name,
            COALESCE(( SELECT string_agg(((o.option_name || ' = '::text) || o.option_value), ', '::text) AS string_agg
                   FROM pg_options_to_table(t.reloptions) o(option_name, option_value)
                  WHERE (o.option_name ~~ 'autovacuum%'::text)), 'as everywhere'::text) AS value,
            'not off'::text AS recommended,
            (NOT (EXISTS ( SELECT
                   FROM pg_options_to_table(t.reloptions) o(option_name, option_value)
                  WHERE ((o.option_name = 'autovacuum_enabled'::text) AND (o.option_value = ANY (ARRAY['off'::text, 'false'::text, 'no'::text, '0'::text])))))) AS good,
            'Rows of it are deleted or changed all the time.'::text AS why
           FROM dba.our_table t
          WHERE ((NOT t.partitioned) AND ((EXISTS ( SELECT
                   FROM pg_options_to_table(t.reloptions) o(option_name, option_value)
                  WHERE (o.option_name ~~ 'autovacuum%'::text))) OR (t.table_oid IN ( SELECT v.table_oid
                   FROM dba.vector_index v))))
        )
 SELECT name,
    value,
    recommended,
        CASE
            WHEN good THEN 'ok'::text
            ELSE 'look'::text
        END AS state,
    why
   FROM advised a
  ORDER BY good, name;

COMMENT ON COLUMN dba.settings.name IS 'The setting.';

COMMENT ON COLUMN dba.settings.recommended IS 'What this corpus wants; the memory of the machine is not known in SQL.';

COMMENT ON COLUMN dba.settings.state IS 'ok or look.';

COMMENT ON COLUMN dba.settings.value IS 'Its value in this session.';

COMMENT ON COLUMN dba.settings.why IS 'What it does here.';

COMMENT ON VIEW dba.settings IS 'Settings of the server that matter to this corpus: value, recommendation and reason; state look is one to look at.';

GRANT SELECT ON TABLE dba.settings TO pgkb_admin;

CREATE VIEW dba.storage AS
 WITH sized_table AS (
         SELECT t.table_name,
            t.live_rows,
            t.table_oid,
            pg_relation_size((t.table_oid)::regclass) AS heap_bytes,
            (pg_table_size((t.table_oid)::regclass) - pg_relation_size((t.table_oid)::regclass)) AS toast_bytes,
            pg_indexes_size((t.table_oid)::regclass) AS index_bytes,
            pg_total_relation_size((t.table_oid)::regclass) AS bytes
           FROM dba.our_table t
          WHERE (NOT t.partitioned)
        ), corpus_size AS (
         SELECT GREATEST((1)::bigint, COALESCE(( SELECT z.chunks
                   FROM search.scope_size z
                  WHERE (z.scope_id = 0)), (0)::bigint)) AS chunks,
            (COALESCE(sum(s.bytes), (0)::numeric))::bigint AS bytes
           FROM sized_table s
        ), part AS (
         SELECT 1 AS place,
            'total'::text AS part,
            (current_database())::text AS name,
            c_1.chunks AS live_rows,
            c_1.bytes
           FROM corpus_size c_1
        UNION ALL
         SELECT 2 AS place,
            'embedding set'::text AS part,
            e.name,
            s.live_rows,
            s.bytes
           FROM (embedding.set e
             JOIN sized_table s ON ((s.table_name = ('embedding.vector_'::text || e.set_id))))
        UNION ALL
         SELECT 3 AS place,
            'scope kind'::text AS part,
            k.kind AS name,
            (sum(z.chunks))::bigint AS live_rows,
            ((((c_1.bytes)::numeric * sum(z.chunks)) / (c_1.chunks)::numeric))::bigint AS bytes
           FROM ((search.scope_size z
             JOIN corpus.scope k ON ((z.scope_id = k.scope_id)))
             CROSS JOIN corpus_size c_1)
          GROUP BY k.kind, c_1.bytes, c_1.chunks
        UNION ALL
         SELECT w.place,
            w.part,
            s.table_name AS name,
            s.live_rows,
            w.bytes
           FROM (sized_table s
             CROSS JOIN LATERAL ( VALUES (4,'table'::text,s.heap_bytes), (5,'toast'::text,s.toast_bytes)) w(place, part, bytes))
        UNION ALL
         SELECT 6 AS place,
            'index'::text AS part,
            format('%I.%I'::text, n.nspname, x.relname) AS name,
            (GREATEST(x.reltuples, (0)::real))::bigint AS live_rows,
            pg_total_relation_size((x.oid)::regclass) AS bytes
           FROM (((sized_table s
             JOIN pg_index i ON ((s.table_oid = i.indrelid)))
             JOIN pg_class x ON ((i.indexrelid = x.oid)))
             JOIN pg_namespace n ON ((x.relnamespace = n.oid)))
        )
 SELECT p.part,
    p.name,
    p.live_rows,
    p.bytes,
    pg_size_pretty(p.bytes) AS size,
    round(((p.bytes)::numeric / (c.chunks)::numeric), 1) AS bytes_per_chunk
   FROM (part p
     CROSS JOIN corpus_size c)
  WHERE (p.bytes > 0)
  ORDER BY p.place, p.bytes DESC, p.name;

COMMENT ON COLUMN dba.storage.bytes IS 'Bytes.';

COMMENT ON COLUMN dba.storage.bytes_per_chunk IS 'Bytes for each searchable chunk of the corpus.';

COMMENT ON COLUMN dba.storage.live_rows IS 'Rows; chunks of the total and of scopes.';

COMMENT ON COLUMN dba.storage.name IS 'Its name. A set counts with its indexes; a kind of scope is an estimate, its share of the chunks.';

COMMENT ON COLUMN dba.storage.part IS 'total, embedding set, scope kind, table, toast or index.';

COMMENT ON COLUMN dba.storage.size IS 'The same for people.';

COMMENT ON VIEW dba.storage IS 'Where the bytes are: in all, by embedding set, kind of scope, table, its long values, and index.';

GRANT SELECT ON TABLE dba.storage TO pgkb_admin;

CREATE VIEW dba.vacuum_plan AS
 SELECT table_name,
    live_rows,
    dead_rows,
    autovacuum_at,
    last_vacuum,
    last_analyze,
    why,
    format('reads %s%s'::text, pg_size_pretty(bytes),
        CASE
            WHEN (graph_rows > 0) THEN format((', repairs a graph of %s rows: hours apart, when few search, and after a rebuild '::text || 'rather than before'::text), graph_rows)
            ELSE ''::text
        END) AS cost,
    statement
   FROM ( SELECT s.table_name,
            s.dead_rows,
            s.changed_rows,
            s.last_vacuum,
            s.last_analyze,
            s.live_rows,
            s.bytes,
            s.frozen_age,
            s.freeze_at,
            s.autovacuum_at,
            s.graph_rows,
                CASE
                    WHEN ((s.dead_rows)::numeric >= ((50)::numeric + (0.05 * (s.live_rows)::numeric))) THEN format('%s of %s rows are dead'::text, s.dead_rows, (s.live_rows + s.dead_rows))
                    WHEN ((s.frozen_age)::numeric > (0.9 * (s.freeze_at)::numeric)) THEN format('its oldest transaction is %s old'::text, s.frozen_age)
                    WHEN (s.last_analyze IS NULL) THEN 'it was never analyzed'::text
                    ELSE format('%s rows changed since it was analyzed'::text, s.changed_rows)
                END AS why,
                CASE
                    WHEN (((s.dead_rows)::numeric >= ((50)::numeric + (0.05 * (s.live_rows)::numeric))) OR ((s.frozen_age)::numeric > (0.9 * (s.freeze_at)::numeric))) THEN format('vacuum (analyze) %s;'::text, s.table_name)
                    ELSE format('analyze %s;'::text, s.table_name)
                END AS statement
           FROM ( SELECT t.table_name,
                    t.dead_rows,
                    t.changed_rows,
                    t.last_vacuum,
                    t.last_analyze,
                        CASE
                            WHEN t.partitioned THEN ( SELECT (COALESCE(sum(q.live_rows), (0)::numeric))::bigint AS "coalesce"
                               FROM (pg_partition_tree((t.table_oid)::regclass) x(relid, parentrelid, isleaf, level)
                                 JOIN dba.our_table q ON (((x.relid)::oid = q.table_oid)))
                              WHERE x.isleaf)
                            ELSE t.live_rows
                        END AS live_rows,
                    (pg_table_size((t.table_oid)::regclass) + pg_indexes_size((t.table_oid)::regclass)) AS bytes,
                        CASE
                            WHEN t.partitioned THEN 0
                            ELSE age(t.relfrozenxid)
                        END AS frozen_age,
                    (current_setting('autovacuum_freeze_max_age'::text))::bigint AS freeze_at,
                    (((COALESCE(( SELECT o.option_value
                           FROM pg_options_to_table(t.reloptions) o(option_name, option_value)
                          WHERE (o.option_name = 'autovacuum_vacuum_threshold'::text)), current_setting('autovacuum_vacuum_threshold'::text)))::double precision + ((t.live_rows)::double precision * (COALESCE(( SELECT o.option_value
                           FROM pg_options_to_table(t.reloptions) o(option_name, option_value)
                          WHERE (o.option_name = 'autovacuum_vacuum_scale_factor'::text)), current_setting('autovacuum_vacuum_scale_factor'::text)))::double precision)))::bigint AS autovacuum_at,
                    ( SELECT (COALESCE(sum(v.live_rows), (0)::numeric))::bigint AS "coalesce"
                           FROM dba.vector_index v
                          WHERE (v.table_oid = t.table_oid)) AS graph_rows
                   FROM dba.our_table t) s
          WHERE (((s.dead_rows)::numeric >= ((50)::numeric + (0.05 * (s.live_rows)::numeric))) OR ((s.frozen_age)::numeric > (0.9 * (s.freeze_at)::numeric)) OR ((s.last_analyze IS NULL) AND (s.live_rows > 0)) OR ((s.changed_rows)::numeric >= ((50)::numeric + (0.1 * (s.live_rows)::numeric))))) p
  ORDER BY dead_rows DESC, table_name;

COMMENT ON COLUMN dba.vacuum_plan.autovacuum_at IS 'Dead rows at which the server would do it by itself.';

COMMENT ON COLUMN dba.vacuum_plan.cost IS 'What the statement reads and, with a vector index, when to run it.';

COMMENT ON COLUMN dba.vacuum_plan.dead_rows IS 'Rows that are gone and still take room and time.';

COMMENT ON COLUMN dba.vacuum_plan.last_analyze IS 'When it was last analyzed.';

COMMENT ON COLUMN dba.vacuum_plan.last_vacuum IS 'When it was last vacuumed.';

COMMENT ON COLUMN dba.vacuum_plan.live_rows IS 'Rows.';

COMMENT ON COLUMN dba.vacuum_plan.statement IS 'The statement; not inside a transaction.';

COMMENT ON COLUMN dba.vacuum_plan.table_name IS 'The table.';

COMMENT ON COLUMN dba.vacuum_plan.why IS 'Why now.';

COMMENT ON VIEW dba.vacuum_plan IS 'Tables that need a vacuum or an analyze now. In psql: select statement from dba.vacuum_plan \gexec';

GRANT SELECT ON TABLE dba.vacuum_plan TO pgkb_admin;

CREATE VIEW dba.vector_index AS
 SELECT index_oid,
    index_name,
    table_oid,
    table_name,
    active,
    m,
    ef_construction,
    partial,
    live_rows,
    bytes,
    (8192 * (((1)::numeric + ceil(((live_rows)::numeric / GREATEST((1)::numeric, floor((8160.0 / ((((8)::numeric * ceil((((72)::numeric + value_bytes) / 8.0))) + ((8)::numeric * ceil((((4 + (12 * m)))::numeric / 8.0)))) + (8)::numeric))))))))::bigint) AS fresh_bytes,
    (((live_rows)::numeric * ((value_bytes + ((32 * m))::numeric) + (200)::numeric)))::bigint AS graph_bytes,
    deleted_since_build,
    ((deleted_since_build)::double precision / (GREATEST(table_rows, (1)::bigint))::double precision) AS churn
   FROM ( SELECT i.indexrelid AS index_oid,
            format('%I.%I'::text, n.nspname, c.relname) AS index_name,
            t.table_oid,
            t.table_name,
            COALESCE(( SELECT (o.option_value)::integer AS option_value
                   FROM pg_options_to_table(c.reloptions) o(option_name, option_value)
                  WHERE (o.option_name = 'm'::text)), 16) AS m,
            COALESCE(( SELECT (o.option_value)::integer AS option_value
                   FROM pg_options_to_table(c.reloptions) o(option_name, option_value)
                  WHERE (o.option_name = 'ef_construction'::text)), 64) AS ef_construction,
            (i.indpred IS NOT NULL) AS partial,
                CASE
                    WHEN (pg_get_expr(i.indpred, i.indrelid) ~~ '%(scope_id %'::text) THEN ( SELECT (LEAST((t.live_rows)::numeric, COALESCE(sum(z.chunks), (0)::numeric)))::bigint AS "least"
                       FROM search.scope_size z
                      WHERE ((z.scope_id > 0) AND (((pg_get_expr(i.indpred, i.indrelid) = format('(scope_id = %s)'::text, z.scope_id)) OR (pg_get_expr(i.indpred, i.indrelid) =
                            CASE
                                WHEN (z.scope_id <> 1) THEN '(scope_id <> 1)'::text
                                ELSE NULL::text
                            END)) OR (pg_get_expr(i.indpred, i.indrelid) =
                            CASE
                                WHEN (z.scope_id <> 1) THEN format('((scope_id <> 1) AND ((scope_id %% (2)::bigint) = %s))'::text, (z.scope_id % (2)::bigint))
                                ELSE NULL::text
                            END))))
                    WHEN ((i.indpred IS NOT NULL) AND (c.reltuples >= (0)::double precision)) THEN (c.reltuples)::bigint
                    ELSE t.live_rows
                END AS live_rows,
            t.live_rows AS table_rows,
            pg_relation_size((i.indexrelid)::regclass) AS bytes,
            ((8)::numeric +
                CASE y.typname
                    WHEN 'halfvec'::name THEN ((2 * k.atttypmod))::numeric
                    WHEN 'bit'::name THEN ceil(((k.atttypmod)::numeric / 8.0))
                    ELSE ((4 * k.atttypmod))::numeric
                END) AS value_bytes,
            COALESCE((t.table_name = ( SELECT ('embedding.vector_'::text || s.set_id)
                   FROM embedding.set s
                  WHERE s.active)), false) AS active,
            (t.deleted_rows -
                CASE
                    WHEN ((b.file_node = pg_relation_filenode((i.indexrelid)::regclass)) AND (b.deletes_before <= t.deleted_rows)) THEN b.deletes_before
                    ELSE (0)::bigint
                END) AS deleted_since_build
           FROM (((((((pg_index i
             JOIN pg_class c ON ((i.indexrelid = c.oid)))
             JOIN pg_namespace n ON ((c.relnamespace = n.oid)))
             JOIN pg_am a ON (((c.relam = a.oid) AND (a.amname = 'hnsw'::name))))
             JOIN dba.our_table t ON ((i.indrelid = t.table_oid)))
             JOIN pg_attribute k ON (((c.oid = k.attrelid) AND (k.attnum = 1))))
             JOIN pg_type y ON ((k.atttypid = y.oid)))
             LEFT JOIN dba.index_build b ON ((b.index_name = format('%I.%I'::text, n.nspname, c.relname))))
          WHERE (c.relkind = 'i'::"char")) h;

COMMENT ON COLUMN dba.vector_index.active IS 'Whether it is of the active embedding set.';

COMMENT ON COLUMN dba.vector_index.bytes IS 'Its size.';

COMMENT ON COLUMN dba.vector_index.churn IS 'The same as a share of the rows of the table.';

COMMENT ON COLUMN dba.vector_index.deleted_since_build IS 'Rows of the table deleted since the build, or since the counting began.';

COMMENT ON COLUMN dba.vector_index.ef_construction IS 'Candidates looked at for each row while building.';

COMMENT ON COLUMN dba.vector_index.fresh_bytes IS 'What a fresh one of these rows would take, within some 5 %.';

COMMENT ON COLUMN dba.vector_index.graph_bytes IS 'Memory that a build needs to be quick, to be compared with maintenance_work_mem.';

COMMENT ON COLUMN dba.vector_index.index_name IS 'Its name with its schema.';

COMMENT ON COLUMN dba.vector_index.index_oid IS 'Its oid.';

COMMENT ON COLUMN dba.vector_index.live_rows IS 'Rows it holds, as the server counts them.';

COMMENT ON COLUMN dba.vector_index.m IS 'Neighbours of a row in the graph.';

COMMENT ON COLUMN dba.vector_index.partial IS 'Whether it holds only the rows of a condition.';

COMMENT ON COLUMN dba.vector_index.table_name IS 'Name of the table.';

COMMENT ON COLUMN dba.vector_index.table_oid IS 'Its table.';

COMMENT ON VIEW dba.vector_index IS 'Every HNSW index of ours with what building it anew takes, whatever its name, width or condition.';

GRANT SELECT ON TABLE dba.vector_index TO pgkb_admin;

CREATE FUNCTION dba.measure_recall(sample integer DEFAULT 50, k integer DEFAULT 20, bands text[] DEFAULT ARRAY['everything'::text, 'authority'::text, 'tag'::text, 'tiny'::text]) RETURNS TABLE(band text, selectivity double precision, queries integer, real_questions integer, mean_recall double precision, worst_recall double precision, mean_ms double precision, exact_ms double precision, plans text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 bb5cbc6ee7a1e540';

COMMENT ON FUNCTION dba.measure_recall(sample integer, k integer, bands text[]) IS 'How much of the exact best k the vector leg finds as it plans today, by bands of selectivity; writes nothing.';

REVOKE ALL ON FUNCTION dba.measure_recall(sample integer, k integer, bands text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION dba.measure_recall(sample integer, k integer, bands text[]) TO pgkb_admin;

CREATE FUNCTION dba.note_builds() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 00d2f0b4e3f5909b';

COMMENT ON FUNCTION dba.note_builds() IS 'Note every vector index that was built since it was last noted, so that churn is counted from its build; returns how many.';

REVOKE ALL ON FUNCTION dba.note_builds() FROM PUBLIC;
GRANT ALL ON FUNCTION dba.note_builds() TO pgkb_admin;

CREATE FUNCTION dba.prewarm() RETURNS TABLE(relation text, size text, bytes bigint, method text, ms double precision)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 bd23907822ac3e58';

COMMENT ON FUNCTION dba.prewarm() IS 'Bring what a search reads into memory, the most needed first; returns what was read, how and in how many milliseconds.';

REVOKE ALL ON FUNCTION dba.prewarm() FROM PUBLIC;
GRANT ALL ON FUNCTION dba.prewarm() TO pgkb_admin;

CREATE FUNCTION dba.readiness(expected text DEFAULT NULL::text, queue_seconds double precision DEFAULT 900) RETURNS TABLE(name text, state text, finding text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9aaccb08282b733d';

COMMENT ON FUNCTION dba.readiness(expected text, queue_seconds double precision) IS 'Whether this database can answer questions: a row for each thing looked at, with state ok, warn or fail and the finding in words.';

REVOKE ALL ON FUNCTION dba.readiness(expected text, queue_seconds double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION dba.readiness(expected text, queue_seconds double precision) TO pgkb_app;
GRANT ALL ON FUNCTION dba.readiness(expected text, queue_seconds double precision) TO pgkb_admin;

CREATE FUNCTION dba.rebuild_plan(index_name text DEFAULT NULL::text) RETURNS TABLE(step integer, target text, statement text, needed boolean, why text, live_rows bigint, disk_bytes bigint, graph_bytes bigint, memory_bytes bigint, fits boolean)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2efe1540b808afef';

COMMENT ON FUNCTION dba.rebuild_plan(index_name text) IS 'What rebuilding an index, or without a name every vector index, takes: the statements in their order, why, and whether memory suffices.';

REVOKE ALL ON FUNCTION dba.rebuild_plan(index_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION dba.rebuild_plan(index_name text) TO pgkb_admin;

CREATE FUNCTION dba.recall_audit(sample integer DEFAULT 50, k integer DEFAULT 20) RETURNS SETOF dba.recall
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ad94b089195c613d';

COMMENT ON FUNCTION dba.recall_audit(sample integer, k integer) IS 'Measure recall by bands of selectivity and keep the result; see dba.recall for this and earlier ones.';

REVOKE ALL ON FUNCTION dba.recall_audit(sample integer, k integer) FROM PUBLIC;
GRANT ALL ON FUNCTION dba.recall_audit(sample integer, k integer) TO pgkb_admin;

CREATE FUNCTION dba.sample_questions(sample integer) RETURNS TABLE(query public.halfvec, is_real boolean)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 3c14353fef75ef46';

COMMENT ON FUNCTION dba.sample_questions(sample integer) IS 'Vectors to try the search of the active set with: recent questions of people, then as many made from stored chunks.';

REVOKE ALL ON FUNCTION dba.sample_questions(sample integer) FROM PUBLIC;
GRANT ALL ON FUNCTION dba.sample_questions(sample integer) TO pgkb_admin;

CREATE FUNCTION dba.spare_indexes() RETURNS TABLE(index_name text)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 85eb74cf2ee237d7';

COMMENT ON FUNCTION dba.spare_indexes() IS 'The vector indexes of all sets that upkeep is going to drop, or would drop were their set active, with their schema.';

REVOKE ALL ON FUNCTION dba.spare_indexes() FROM PUBLIC;
GRANT ALL ON FUNCTION dba.spare_indexes() TO pgkb_admin;

CREATE FUNCTION dba.upkeep_plan() RETURNS TABLE(step integer, task text, target text, statement text, why text, disk_bytes bigint, graph_bytes bigint, memory_bytes bigint, fits boolean)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 89712760ee50329e';

COMMENT ON FUNCTION dba.upkeep_plan() IS 'What upkeep would do now, in its order: housekeeping, posting lists, vector indexes missing or to be rebuilt after churn, vacuums.';

REVOKE ALL ON FUNCTION dba.upkeep_plan() FROM PUBLIC;
GRANT ALL ON FUNCTION dba.upkeep_plan() TO pgkb_admin;

CREATE FUNCTION dba.vital_signs() RETURNS TABLE(migration text, pgvector_version text, active_set text, embedding_model text, embedding_width integer, invalid_indexes bigint, tasks_ready bigint, tasks_running bigint, tasks_dead bigint, oldest_ready_seconds double precision)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d4d5d18eedb028da';

COMMENT ON FUNCTION dba.vital_signs() IS 'What monitoring looks at every few seconds: newest migration, extension, active set, broken indexes and the queue, as one row.';

REVOKE ALL ON FUNCTION dba.vital_signs() FROM PUBLIC;
GRANT ALL ON FUNCTION dba.vital_signs() TO pgkb_app;
GRANT ALL ON FUNCTION dba.vital_signs() TO pgkb_admin;

CREATE SCHEMA deploy;

COMMENT ON SCHEMA deploy IS 'What the deploy engine has brought to this database.';

CREATE TABLE deploy.file (
    path text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON COLUMN deploy.file.applied_at IS 'Start of the transaction that ran it.';

COMMENT ON COLUMN deploy.file.path IS 'Path under db/.';

COMMENT ON COLUMN deploy.file.sha256 IS 'Hash of the text that ran; any difference runs all files.';

COMMENT ON TABLE deploy.file IS 'Function, trigger and grant files as they last ran here.';

CREATE TABLE deploy.migration (
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON COLUMN deploy.migration.applied_at IS 'Start of the transaction that ran it.';

COMMENT ON COLUMN deploy.migration.name IS 'File name without its ending, as in 0001_queue.';

COMMENT ON COLUMN deploy.migration.sha256 IS 'Hash of the text that ran; an edit is refused.';

COMMENT ON TABLE deploy.migration IS 'Migrations that ran here; each runs exactly once.';

ALTER TABLE ONLY deploy.file
    ADD CONSTRAINT file_pkey PRIMARY KEY (path);

ALTER TABLE ONLY deploy.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (name);

CREATE SCHEMA embedding;

COMMENT ON SCHEMA embedding IS 'Embedding sets, their vectors and the vectors of questions asked before.';

GRANT USAGE ON SCHEMA embedding TO pgkb_app;
GRANT USAGE ON SCHEMA embedding TO pgkb_ingest;
GRANT USAGE ON SCHEMA embedding TO pgkb_admin;

CREATE TABLE embedding.bit_vector (
    chunk_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    set_id integer NOT NULL,
    bits bit varying NOT NULL
);

COMMENT ON COLUMN embedding.bit_vector.bits IS '1 where the vector is positive, as public.binary_quantize says.';

COMMENT ON COLUMN embedding.bit_vector.chunk_id IS 'The chunk.';

COMMENT ON COLUMN embedding.bit_vector.scope_id IS 'Its scope.';

COMMENT ON COLUMN embedding.bit_vector.set_id IS 'The embedding set.';

COMMENT ON TABLE embedding.bit_vector IS 'The sign of each dimension of every row of embedding.vector, which a trigger keeps: scanned in a fraction of the time of the vectors.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE embedding.bit_vector TO pgkb_ingest;
GRANT SELECT ON TABLE embedding.bit_vector TO pgkb_admin;

CREATE TABLE embedding.cold_vector (
    set_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    embedding public.halfvec NOT NULL
);

COMMENT ON COLUMN embedding.cold_vector.chunk_id IS 'The chunk.';

COMMENT ON COLUMN embedding.cold_vector.embedding IS 'Unit-length vector at half precision.';

COMMENT ON COLUMN embedding.cold_vector.set_id IS 'The embedding set.';

COMMENT ON TABLE embedding.cold_vector IS 'Vectors of chunks that are not searched: staged ones on the way in, superseded ones kept for as_of and undo. Not indexed, so they crowd nobody out.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE embedding.cold_vector TO pgkb_ingest;
GRANT SELECT ON TABLE embedding.cold_vector TO pgkb_admin;

CREATE TABLE embedding.fill_batch (
    fill_batch_id bigint NOT NULL,
    set_id integer NOT NULL,
    stored_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    embedded integer NOT NULL,
    reused integer NOT NULL
);

COMMENT ON COLUMN embedding.fill_batch.embedded IS 'Vectors the provider made.';

COMMENT ON COLUMN embedding.fill_batch.fill_batch_id IS 'Key.';

COMMENT ON COLUMN embedding.fill_batch.reused IS 'Vectors taken over from a chunk of the same text.';

COMMENT ON COLUMN embedding.fill_batch.set_id IS 'The embedding set.';

COMMENT ON COLUMN embedding.fill_batch.stored_at IS 'When its vectors were stored.';

COMMENT ON TABLE embedding.fill_batch IS 'What was filled in and when, a row for each batch: the rate is read from it. A new fill begins with none.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE embedding.fill_batch TO pgkb_ingest;
GRANT SELECT,DELETE ON TABLE embedding.fill_batch TO pgkb_admin;

CREATE TABLE embedding.query_cache (
    login text DEFAULT SESSION_USER NOT NULL,
    viewer text NOT NULL,
    question_hash bytea NOT NULL,
    set_id integer NOT NULL,
    model text NOT NULL,
    expansion_revision bigint NOT NULL,
    embedding public.halfvec NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

COMMENT ON COLUMN embedding.query_cache.embedding IS 'The vector.';

COMMENT ON COLUMN embedding.query_cache.expansion_revision IS 'Revision of the loaded synonyms.';

COMMENT ON COLUMN embedding.query_cache.expires_at IS 'Not used after this instant.';

COMMENT ON COLUMN embedding.query_cache.login IS 'The login that asked; the viewers of another are strangers.';

COMMENT ON COLUMN embedding.query_cache.model IS 'The model that made it: a set may be given another.';

COMMENT ON COLUMN embedding.query_cache.question_hash IS 'SHA-256 of the folded question.';

COMMENT ON COLUMN embedding.query_cache.set_id IS 'The set, so width is part of the key.';

COMMENT ON COLUMN embedding.query_cache.viewer IS 'Whose question; nobody else is answered from it.';

COMMENT ON TABLE embedding.query_cache IS 'Vectors of questions asked before, per login and viewer; the question itself is not kept, only its SHA-256.';

GRANT SELECT,INSERT,UPDATE ON TABLE embedding.query_cache TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE embedding.query_cache TO pgkb_ingest;
GRANT SELECT ON TABLE embedding.query_cache TO pgkb_admin;

CREATE TABLE embedding.set (
    set_id integer NOT NULL,
    name text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    width integer NOT NULL,
    active boolean DEFAULT false NOT NULL,
    endpoint_url text,
    retrieval_floor double precision NOT NULL,
    relevance_floor double precision NOT NULL,
    school_floor double precision NOT NULL,
    vector_weight double precision NOT NULL,
    keyword_weight double precision NOT NULL,
    index_kind text DEFAULT 'halfvec'::text NOT NULL,
    index_m integer DEFAULT 16 NOT NULL,
    index_ef_construction integer DEFAULT 64 NOT NULL,
    state text DEFAULT 'idle'::text NOT NULL,
    replaced_at timestamp with time zone,
    usd_per_million_tokens numeric,
    CONSTRAINT set_floors_are_cosines CHECK ((((retrieval_floor >= ('-1'::integer)::double precision) AND (retrieval_floor <= (1)::double precision)) AND ((relevance_floor >= ('-1'::integer)::double precision) AND (relevance_floor <= (1)::double precision)) AND ((school_floor >= ('-1'::integer)::double precision) AND (school_floor <= (1)::double precision)))),
    CONSTRAINT set_index_ef_construction_is_legal CHECK (((index_ef_construction >= (2 * index_m)) AND (index_ef_construction <= 1000))),
    CONSTRAINT set_index_kind_is_known CHECK ((index_kind = ANY (ARRAY['halfvec'::text, 'binary'::text]))),
    CONSTRAINT set_index_m_is_legal CHECK (((index_m >= 2) AND (index_m <= 100))),
    CONSTRAINT set_price_not_negative CHECK ((usd_per_million_tokens >= (0)::numeric)),
    CONSTRAINT set_provider_is_known CHECK ((provider = ANY (ARRAY['local'::text, 'openai'::text, 'azure'::text, 'compatible'::text]))),
    CONSTRAINT set_state_is_known CHECK ((state = ANY (ARRAY['idle'::text, 'filling'::text, 'ready'::text]))),
    CONSTRAINT set_weights_not_negative CHECK (((vector_weight >= (0)::double precision) AND (keyword_weight >= (0)::double precision))),
    CONSTRAINT set_width_fits_an_index CHECK (((width >= 1) AND (width <= 4000)))
);

COMMENT ON COLUMN embedding.set.active IS 'Whether searches use it.';

COMMENT ON COLUMN embedding.set.endpoint_url IS 'OpenAI-compatible base address that embedding.embed_text calls from inside the server; a key never stands here.';

COMMENT ON COLUMN embedding.set.index_ef_construction IS 'HNSW candidate list while building.';

COMMENT ON COLUMN embedding.set.index_kind IS 'What its HNSW indexes hold: halfvec, the vectors; binary, a bit for each dimension, whose hits are ranked again by the vectors. Changing it needs the statements of embedding.index_statements.';

COMMENT ON COLUMN embedding.set.index_m IS 'HNSW links of a node.';

COMMENT ON COLUMN embedding.set.keyword_weight IS 'Weight of the keyword leg in fusion.';

COMMENT ON COLUMN embedding.set.model IS 'Model as the provider calls it.';

COMMENT ON COLUMN embedding.set.name IS 'Name people use.';

COMMENT ON COLUMN embedding.set.provider IS 'local, openai, azure or compatible.';

COMMENT ON COLUMN embedding.set.relevance_floor IS 'Cosine floor after fusion.';

COMMENT ON COLUMN embedding.set.replaced_at IS 'When another set took over from it, the last time.';

COMMENT ON COLUMN embedding.set.retrieval_floor IS 'Cosine floor of the vector leg.';

COMMENT ON COLUMN embedding.set.school_floor IS 'Cosine floor of the asked school''s documents.';

COMMENT ON COLUMN embedding.set.set_id IS 'Key; names the partition of embedding.vector.';

COMMENT ON COLUMN embedding.set.state IS 'idle: nobody sees to its vectors; filling: being filled; ready: it was whole once and is kept so, so a search may name it.';

COMMENT ON COLUMN embedding.set.usd_per_million_tokens IS 'What the provider asks for a million tokens; NULL when nobody said. A change holds for what is embedded after it.';

COMMENT ON COLUMN embedding.set.vector_weight IS 'Weight of the vector leg in fusion.';

COMMENT ON COLUMN embedding.set.width IS 'Dimensions of its vectors.';

COMMENT ON TABLE embedding.set IS 'A model at a width, with the floors and fusion weights that belong to it. Exactly one is active.';

GRANT UPDATE(active) ON TABLE embedding.set TO pgkb_admin;

GRANT UPDATE(keyword_weight) ON TABLE embedding.set TO pgkb_admin;

GRANT UPDATE(relevance_floor) ON TABLE embedding.set TO pgkb_admin;

GRANT UPDATE(replaced_at) ON TABLE embedding.set TO pgkb_admin;

GRANT UPDATE(retrieval_floor) ON TABLE embedding.set TO pgkb_admin;

GRANT UPDATE(school_floor) ON TABLE embedding.set TO pgkb_admin;

GRANT UPDATE(state) ON TABLE embedding.set TO pgkb_admin;

GRANT UPDATE(usd_per_million_tokens) ON TABLE embedding.set TO pgkb_admin;

GRANT UPDATE(vector_weight) ON TABLE embedding.set TO pgkb_admin;

GRANT SELECT ON TABLE embedding.set TO pgkb_app;
GRANT SELECT ON TABLE embedding.set TO pgkb_ingest;
GRANT SELECT ON TABLE embedding.set TO pgkb_admin;

CREATE TABLE embedding.spend (
    version_id bigint NOT NULL,
    set_id integer NOT NULL,
    chunks bigint DEFAULT 0 NOT NULL,
    tokens bigint DEFAULT 0 NOT NULL,
    unpriced_tokens bigint DEFAULT 0 NOT NULL,
    cost_usd numeric DEFAULT 0 NOT NULL,
    last_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT spend_not_negative CHECK (((chunks >= 0) AND (tokens >= 0) AND (unpriced_tokens >= 0) AND (cost_usd >= (0)::numeric)))
);

COMMENT ON COLUMN embedding.spend.chunks IS 'How many chunks were sent; more than the version has when some were sent again.';

COMMENT ON COLUMN embedding.spend.cost_usd IS 'Price of the others, as it was when they were used.';

COMMENT ON COLUMN embedding.spend.last_at IS 'When something was last added.';

COMMENT ON COLUMN embedding.spend.set_id IS 'The embedding set.';

COMMENT ON COLUMN embedding.spend.tokens IS 'Tokens as the provider counted them; our estimate where it tells none.';

COMMENT ON COLUMN embedding.spend.unpriced_tokens IS 'Those of them that were used while the set had no price.';

COMMENT ON COLUMN embedding.spend.version_id IS 'The version.';

COMMENT ON TABLE embedding.spend IS 'What the provider billed for the texts of a version, those of failed attempts included.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE embedding.spend TO pgkb_ingest;
GRANT SELECT ON TABLE embedding.spend TO pgkb_admin;

CREATE TABLE embedding.vector (
    set_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    embedding public.halfvec NOT NULL
)
PARTITION BY LIST (set_id);

COMMENT ON COLUMN embedding.vector.chunk_id IS 'The chunk.';

COMMENT ON COLUMN embedding.vector.embedding IS 'Unit-length vector at half precision.';

COMMENT ON COLUMN embedding.vector.scope_id IS 'Its scope: small scopes are scanned exactly through the index on it.';

COMMENT ON COLUMN embedding.vector.set_id IS 'The embedding set.';

COMMENT ON TABLE embedding.vector IS 'Vectors of the published version of each document, a partition per set. Rows are inserted and deleted, never updated.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE embedding.vector TO pgkb_ingest;
GRANT SELECT ON TABLE embedding.vector TO pgkb_admin;

CREATE TABLE embedding.vector_1 (
    set_id integer CONSTRAINT vector_set_id_not_null NOT NULL,
    chunk_id bigint CONSTRAINT vector_chunk_id_not_null NOT NULL,
    scope_id bigint CONSTRAINT vector_scope_id_not_null NOT NULL,
    embedding public.halfvec CONSTRAINT vector_embedding_not_null NOT NULL,
    CONSTRAINT vector_1_has_a_direction CHECK ((public.l2_norm(embedding) > (0)::double precision)),
    CONSTRAINT vector_1_width CHECK ((public.vector_dims(embedding) = 384))
);
ALTER TABLE ONLY embedding.vector_1 ALTER COLUMN embedding SET STORAGE PLAIN;

COMMENT ON TABLE embedding.vector_1 IS 'Vectors of set 1.';

GRANT SELECT ON TABLE embedding.vector_1 TO pgkb_admin;

CREATE TABLE embedding.vector_2 (
    set_id integer CONSTRAINT vector_set_id_not_null NOT NULL,
    chunk_id bigint CONSTRAINT vector_chunk_id_not_null NOT NULL,
    scope_id bigint CONSTRAINT vector_scope_id_not_null NOT NULL,
    embedding public.halfvec CONSTRAINT vector_embedding_not_null NOT NULL,
    CONSTRAINT vector_2_has_a_direction CHECK ((public.l2_norm(embedding) > (0)::double precision)),
    CONSTRAINT vector_2_width CHECK ((public.vector_dims(embedding) = 1536))
);
ALTER TABLE ONLY embedding.vector_2 ALTER COLUMN embedding SET STORAGE PLAIN;

COMMENT ON TABLE embedding.vector_2 IS 'Vectors of set 2.';

GRANT SELECT ON TABLE embedding.vector_2 TO pgkb_admin;

CREATE TABLE embedding.wanted_vector (
    set_id integer NOT NULL,
    chunk_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    searched boolean NOT NULL,
    ready_at timestamp with time zone DEFAULT now() NOT NULL,
    holder_pid integer,
    attempts integer DEFAULT 0 NOT NULL,
    failed boolean DEFAULT false NOT NULL,
    last_error text
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02');

COMMENT ON COLUMN embedding.wanted_vector.attempts IS 'How often it was claimed.';

COMMENT ON COLUMN embedding.wanted_vector.chunk_id IS 'The chunk.';

COMMENT ON COLUMN embedding.wanted_vector.failed IS 'Given up; embedding.start_fill tries again.';

COMMENT ON COLUMN embedding.wanted_vector.holder_pid IS 'Server process of whoever claimed it: when that is gone the claim is void.';

COMMENT ON COLUMN embedding.wanted_vector.last_error IS 'Why the last attempt failed.';

COMMENT ON COLUMN embedding.wanted_vector.ready_at IS 'Not before this instant; a claim moves it one lease ahead.';

COMMENT ON COLUMN embedding.wanted_vector.scope_id IS 'Its scope: scopes are filled one after the other, so that their vectors lie together.';

COMMENT ON COLUMN embedding.wanted_vector.searched IS 'Whether it belongs to a published version; those come first.';

COMMENT ON COLUMN embedding.wanted_vector.set_id IS 'The embedding set.';

COMMENT ON TABLE embedding.wanted_vector IS 'Chunks that lack their vector in a set that is filled or kept up; the row leaves when the vector is there.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE embedding.wanted_vector TO pgkb_ingest;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE embedding.wanted_vector TO pgkb_admin;

ALTER TABLE embedding.fill_batch ALTER COLUMN fill_batch_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME embedding.fill_batch_fill_batch_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY embedding.vector ATTACH PARTITION embedding.vector_1 FOR VALUES IN (1);

ALTER TABLE ONLY embedding.vector ATTACH PARTITION embedding.vector_2 FOR VALUES IN (2);

ALTER TABLE ONLY embedding.bit_vector
    ADD CONSTRAINT bit_vector_pk PRIMARY KEY (set_id, chunk_id);

ALTER TABLE ONLY embedding.cold_vector
    ADD CONSTRAINT cold_vector_pk PRIMARY KEY (set_id, chunk_id);

ALTER TABLE ONLY embedding.fill_batch
    ADD CONSTRAINT fill_batch_pk PRIMARY KEY (fill_batch_id);

ALTER TABLE ONLY embedding.query_cache
    ADD CONSTRAINT query_cache_pk PRIMARY KEY (login, viewer, question_hash, set_id, model, expansion_revision);

ALTER TABLE ONLY embedding.set
    ADD CONSTRAINT set_name_once UNIQUE (name);

ALTER TABLE ONLY embedding.set
    ADD CONSTRAINT set_pk PRIMARY KEY (set_id);

ALTER TABLE ONLY embedding.spend
    ADD CONSTRAINT spend_pk PRIMARY KEY (version_id, set_id);

ALTER TABLE ONLY embedding.vector
    ADD CONSTRAINT vector_pk PRIMARY KEY (set_id, chunk_id);

ALTER TABLE ONLY embedding.vector_1
    ADD CONSTRAINT vector_1_pkey PRIMARY KEY (set_id, chunk_id);

ALTER TABLE ONLY embedding.vector_2
    ADD CONSTRAINT vector_2_pkey PRIMARY KEY (set_id, chunk_id);

ALTER TABLE ONLY embedding.wanted_vector
    ADD CONSTRAINT wanted_vector_pk PRIMARY KEY (set_id, chunk_id);

ALTER TABLE ONLY embedding.cold_vector
    ADD CONSTRAINT cold_vector_chunk_fk FOREIGN KEY (chunk_id) REFERENCES corpus.chunk(chunk_id) ON DELETE CASCADE;

ALTER TABLE ONLY embedding.cold_vector
    ADD CONSTRAINT cold_vector_set_fk FOREIGN KEY (set_id) REFERENCES embedding.set(set_id);

ALTER TABLE ONLY embedding.fill_batch
    ADD CONSTRAINT fill_batch_set_fk FOREIGN KEY (set_id) REFERENCES embedding.set(set_id) ON DELETE CASCADE;

ALTER TABLE ONLY embedding.query_cache
    ADD CONSTRAINT query_cache_set_fk FOREIGN KEY (set_id) REFERENCES embedding.set(set_id) ON DELETE CASCADE;

ALTER TABLE ONLY embedding.spend
    ADD CONSTRAINT spend_set_fk FOREIGN KEY (set_id) REFERENCES embedding.set(set_id) ON DELETE CASCADE;

ALTER TABLE ONLY embedding.spend
    ADD CONSTRAINT spend_version_fk FOREIGN KEY (version_id) REFERENCES corpus.version(version_id) ON DELETE CASCADE;

ALTER TABLE ONLY embedding.wanted_vector
    ADD CONSTRAINT wanted_vector_chunk_fk FOREIGN KEY (chunk_id) REFERENCES corpus.chunk(chunk_id) ON DELETE CASCADE;

ALTER TABLE ONLY embedding.wanted_vector
    ADD CONSTRAINT wanted_vector_set_fk FOREIGN KEY (set_id) REFERENCES embedding.set(set_id) ON DELETE CASCADE;

CREATE INDEX bit_vector_scope_idx ON embedding.bit_vector USING btree (set_id, scope_id);

CREATE INDEX cold_vector_chunk_idx ON embedding.cold_vector USING btree (chunk_id);

CREATE INDEX fill_batch_set_idx ON embedding.fill_batch USING btree (set_id, stored_at);

CREATE INDEX query_cache_expires_idx ON embedding.query_cache USING btree (expires_at);

CREATE UNIQUE INDEX set_one_active_idx ON embedding.set USING btree (active) WHERE active;

CREATE INDEX spend_set_idx ON embedding.spend USING btree (set_id);

CREATE INDEX vector_1_local_0_idx ON embedding.vector_1 USING hnsw (((embedding)::public.halfvec(384)) public.halfvec_cosine_ops) WITH (m='16', ef_construction='64') WHERE ((scope_id <> 1) AND ((scope_id % (2)::bigint) = 0));

CREATE INDEX vector_1_local_1_idx ON embedding.vector_1 USING hnsw (((embedding)::public.halfvec(384)) public.halfvec_cosine_ops) WITH (m='16', ef_construction='64') WHERE ((scope_id <> 1) AND ((scope_id % (2)::bigint) = 1));

CREATE INDEX vector_1_national_idx ON embedding.vector_1 USING hnsw (((embedding)::public.halfvec(384)) public.halfvec_cosine_ops) WITH (m='16', ef_construction='64') WHERE (scope_id = 1);

CREATE INDEX vector_1_scope_id_idx ON embedding.vector_1 USING btree (scope_id);

CREATE INDEX vector_2_local_0_idx ON embedding.vector_2 USING hnsw (((public.binary_quantize(embedding))::bit(1536)) public.bit_hamming_ops) WITH (m='16', ef_construction='64') WHERE ((scope_id <> 1) AND ((scope_id % (2)::bigint) = 0));

CREATE INDEX vector_2_local_1_idx ON embedding.vector_2 USING hnsw (((public.binary_quantize(embedding))::bit(1536)) public.bit_hamming_ops) WITH (m='16', ef_construction='64') WHERE ((scope_id <> 1) AND ((scope_id % (2)::bigint) = 1));

CREATE INDEX vector_2_national_idx ON embedding.vector_2 USING hnsw (((public.binary_quantize(embedding))::bit(1536)) public.bit_hamming_ops) WITH (m='16', ef_construction='64') WHERE (scope_id = 1);

CREATE INDEX vector_2_scope_id_idx ON embedding.vector_2 USING btree (scope_id);

CREATE INDEX vector_scope_idx ON ONLY embedding.vector USING btree (scope_id);

CREATE INDEX wanted_vector_chunk_idx ON embedding.wanted_vector USING btree (chunk_id);

CREATE INDEX wanted_vector_order_idx ON embedding.wanted_vector USING btree (set_id, searched DESC, scope_id, chunk_id) WHERE (NOT failed);

ALTER INDEX embedding.vector_pk ATTACH PARTITION embedding.vector_1_pkey;

ALTER INDEX embedding.vector_scope_idx ATTACH PARTITION embedding.vector_1_scope_id_idx;

ALTER INDEX embedding.vector_pk ATTACH PARTITION embedding.vector_2_pkey;

ALTER INDEX embedding.vector_scope_idx ATTACH PARTITION embedding.vector_2_scope_id_idx;

CREATE VIEW embedding.document_spend AS
 SELECT d.document_id,
    d.source,
    s.name AS set_name,
    s.model,
    (count(*))::integer AS versions,
    (sum(p.chunks))::bigint AS chunks,
    (sum(p.tokens))::bigint AS tokens,
    (sum(p.unpriced_tokens))::bigint AS unpriced_tokens,
    sum(p.cost_usd) AS cost_usd,
    max(p.last_at) AS last_at
   FROM (((embedding.spend p
     JOIN corpus.version v ON ((p.version_id = v.version_id)))
     JOIN corpus.document d ON ((v.document_id = d.document_id)))
     JOIN embedding.set s ON ((p.set_id = s.set_id)))
  GROUP BY d.document_id, d.source, s.name, s.model;

COMMENT ON COLUMN embedding.document_spend.chunks IS 'Chunks sent.';

COMMENT ON COLUMN embedding.document_spend.cost_usd IS 'Price of the others.';

COMMENT ON COLUMN embedding.document_spend.document_id IS 'The document.';

COMMENT ON COLUMN embedding.document_spend.last_at IS 'When something was last added.';

COMMENT ON COLUMN embedding.document_spend.model IS 'Its model.';

COMMENT ON COLUMN embedding.document_spend.set_name IS 'The embedding set.';

COMMENT ON COLUMN embedding.document_spend.source IS 'Address or file name.';

COMMENT ON COLUMN embedding.document_spend.tokens IS 'Tokens billed.';

COMMENT ON COLUMN embedding.document_spend.unpriced_tokens IS 'Those of them that were used while the set had no price.';

COMMENT ON COLUMN embedding.document_spend.versions IS 'How many versions of it were sent.';

COMMENT ON VIEW embedding.document_spend IS 'What the provider billed for each document, all versions together.';

GRANT SELECT ON TABLE embedding.document_spend TO pgkb_admin;

CREATE VIEW embedding.fill_progress AS
 SELECT s.name,
    s.model,
    s.width,
    s.state,
    s.active,
    c.chunks,
        CASE
            WHEN (s.state <> 'idle'::text) THEN (c.chunks - w.lacking)
            ELSE NULL::bigint
        END AS done,
    w.lacking,
    w.held,
    w.failed,
    w.last_error,
    r.rate,
    make_interval(secs => (((w.lacking - w.failed))::double precision / NULLIF(r.rate, (0)::double precision))) AS eta
   FROM (((embedding.set s
     CROSS JOIN ( SELECT count(*) AS chunks
           FROM corpus.chunk) c)
     CROSS JOIN LATERAL ( SELECT count(*) AS lacking,
            count(*) FILTER (WHERE ((q.holder_pid IS NOT NULL) AND (NOT q.failed))) AS held,
            count(*) FILTER (WHERE q.failed) AS failed,
            max(q.last_error) AS last_error
           FROM embedding.wanted_vector q
          WHERE (q.set_id = s.set_id)) w)
     CROSS JOIN LATERAL ( SELECT (((sum((b.embedded + b.reused)) - (array_agg((b.embedded + b.reused) ORDER BY b.stored_at))[1]))::double precision / (NULLIF(EXTRACT(epoch FROM (max(b.stored_at) - min(b.stored_at))), (0)::numeric))::double precision) AS rate
           FROM embedding.fill_batch b
          WHERE ((b.set_id = s.set_id) AND (b.stored_at > (now() - '00:02:00'::interval)))) r);

COMMENT ON COLUMN embedding.fill_progress.active IS 'Whether searches use it.';

COMMENT ON COLUMN embedding.fill_progress.chunks IS 'Chunks in the corpus, those of superseded and staged versions included.';

COMMENT ON COLUMN embedding.fill_progress.done IS 'Of them, chunks that need nothing more; unknown for an idle set.';

COMMENT ON COLUMN embedding.fill_progress.eta IS 'Time left at that rate.';

COMMENT ON COLUMN embedding.fill_progress.failed IS 'Of them, chunks that were given up.';

COMMENT ON COLUMN embedding.fill_progress.held IS 'Of them, chunks a worker holds.';

COMMENT ON COLUMN embedding.fill_progress.lacking IS 'Chunks known to lack their vector.';

COMMENT ON COLUMN embedding.fill_progress.last_error IS 'A reason for which a chunk failed.';

COMMENT ON COLUMN embedding.fill_progress.model IS 'Its model.';

COMMENT ON COLUMN embedding.fill_progress.name IS 'The set.';

COMMENT ON COLUMN embedding.fill_progress.rate IS 'Chunks a second, over the last two minutes.';

COMMENT ON COLUMN embedding.fill_progress.state IS 'idle, filling or ready.';

COMMENT ON COLUMN embedding.fill_progress.width IS 'Dimensions of its vectors.';

COMMENT ON VIEW embedding.fill_progress IS 'How far each embedding set is filled: chunks with and without a vector, the rate of the last two minutes, the time left.';

GRANT SELECT ON TABLE embedding.fill_progress TO pgkb_ingest;
GRANT SELECT ON TABLE embedding.fill_progress TO pgkb_admin;

CREATE FUNCTION embedding.activate(set_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 328aa8396ec157b2';

COMMENT ON FUNCTION embedding.activate(set_name text) IS 'Make searches use this set from the next statement on; refused while published chunks lack its vectors or it lacks an index.';

REVOKE ALL ON FUNCTION embedding.activate(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.activate(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.active_set() RETURNS embedding.set
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d76b086524406cd0';

COMMENT ON FUNCTION embedding.active_set() IS 'The embedding set that searches use now.';

REVOKE ALL ON FUNCTION embedding.active_set() FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.active_set() TO pgkb_app;
GRANT ALL ON FUNCTION embedding.active_set() TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.active_set() TO pgkb_admin;

CREATE FUNCTION embedding.add_set(name text, provider text, model text, width integer, retrieval_floor double precision DEFAULT NULL::double precision, relevance_floor double precision DEFAULT NULL::double precision, school_floor double precision DEFAULT NULL::double precision, vector_weight double precision DEFAULT NULL::double precision, keyword_weight double precision DEFAULT NULL::double precision) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '5s'
    AS 'sha256 5824c9831352ca78';

COMMENT ON FUNCTION embedding.add_set(name text, provider text, model text, width integer, retrieval_floor double precision, relevance_floor double precision, school_floor double precision, vector_weight double precision, keyword_weight double precision) IS 'Add an embedding set and the partition for its vectors, empty and unused; returns its key.';

REVOKE ALL ON FUNCTION embedding.add_set(name text, provider text, model text, width integer, retrieval_floor double precision, relevance_floor double precision, school_floor double precision, vector_weight double precision, keyword_weight double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.add_set(name text, provider text, model text, width integer, retrieval_floor double precision, relevance_floor double precision, school_floor double precision, vector_weight double precision, keyword_weight double precision) TO pgkb_admin;

CREATE FUNCTION embedding.cached_query(viewer text, question text, set_name text DEFAULT NULL::text) RETURNS public.vector
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9197c5bacc11246a';

COMMENT ON FUNCTION embedding.cached_query(viewer text, question text, set_name text) IS 'The vector of a question this viewer of this login asked before, for a set (the active one when not named) and its model; NULL when there is none.';

REVOKE ALL ON FUNCTION embedding.cached_query(viewer text, question text, set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.cached_query(viewer text, question text, set_name text) TO pgkb_app;
GRANT ALL ON FUNCTION embedding.cached_query(viewer text, question text, set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.check_numbers(numbers real[], vectors integer, expected_set embedding.set) RETURNS public.halfvec[]
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 55a78b701d438632';

COMMENT ON FUNCTION embedding.check_numbers(numbers real[], vectors integer, expected_set embedding.set) IS 'Vectors of a set that are given as one row of numbers, one behind the other: each at unit length and half precision; refuse what is none.';

REVOKE ALL ON FUNCTION embedding.check_numbers(numbers real[], vectors integer, expected_set embedding.set) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.check_numbers(numbers real[], vectors integer, expected_set embedding.set) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.check_numbers(numbers real[], vectors integer, expected_set embedding.set) TO pgkb_admin;

CREATE FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) RETURNS public.halfvec
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 240fbf20dd2ff9ce';

COMMENT ON FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) IS 'The vector at unit length and half precision; refuse a zero vector and another width, naming model and widths.';

REVOKE ALL ON FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) TO pgkb_app;
GRANT ALL ON FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) TO pgkb_admin;

CREATE FUNCTION embedding.chunks_to_embed(version_id bigint, batch_size integer DEFAULT 64, set_name text DEFAULT NULL::text) RETURNS TABLE(chunk_id bigint, embedding_text text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 3fe16f93338fe5a4';

COMMENT ON FUNCTION embedding.chunks_to_embed(version_id bigint, batch_size integer, set_name text) IS 'Chunks of a version that still lack a vector in a set (the active one when not named), after reusing the vectors of equal text.';

REVOKE ALL ON FUNCTION embedding.chunks_to_embed(version_id bigint, batch_size integer, set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.chunks_to_embed(version_id bigint, batch_size integer, set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.chunks_to_embed(version_id bigint, batch_size integer, set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.claim_chunks(set_name text, batch_size integer DEFAULT 64, lease interval DEFAULT '00:15:00'::interval) RETURNS TABLE(chunk_id bigint, embedding_text text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b6361c94d4dbb164';

COMMENT ON FUNCTION embedding.claim_chunks(set_name text, batch_size integer, lease interval) IS 'Hand a worker chunks that lack their vector in a set, hidden from others for one lease or until its connection ends.';

REVOKE ALL ON FUNCTION embedding.claim_chunks(set_name text, batch_size integer, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.claim_chunks(set_name text, batch_size integer, lease interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.claim_chunks(set_name text, batch_size integer, lease interval) TO pgkb_admin;

CREATE FUNCTION embedding.drop_set(name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '1s'
    AS 'sha256 6544e0818a915f53';

COMMENT ON FUNCTION embedding.drop_set(name text) IS 'Remove an embedding set with all its vectors; the active one is refused.';

REVOKE ALL ON FUNCTION embedding.drop_set(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.drop_set(name text) TO pgkb_admin;

CREATE FUNCTION embedding.estimate_fill(set_name text) RETURNS TABLE(chunks bigint, texts bigint, characters bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 3469c67c99dab1c0';

COMMENT ON FUNCTION embedding.estimate_fill(set_name text) IS 'What filling a set still takes: chunks that wait, texts that have to be embedded for them, and the characters in those.';

REVOKE ALL ON FUNCTION embedding.estimate_fill(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.estimate_fill(set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.estimate_fill(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.expansion_revision() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 02374b2602113ce5';

COMMENT ON FUNCTION embedding.expansion_revision() IS 'Grows whenever synonyms or topics change, so that older cached questions are not used.';

REVOKE ALL ON FUNCTION embedding.expansion_revision() FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.expansion_revision() TO pgkb_app;
GRANT ALL ON FUNCTION embedding.expansion_revision() TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.expansion_revision() TO pgkb_admin;

CREATE FUNCTION embedding.fill_is_over(set_name text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 fff082200fe242e0';

COMMENT ON FUNCTION embedding.fill_is_over(set_name text) IS 'Whether no chunk waits for its vector in a set, but for those that were given up.';

REVOKE ALL ON FUNCTION embedding.fill_is_over(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.fill_is_over(set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.fill_is_over(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.forget_viewer(viewer text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1df098a3ede8b6b3';

COMMENT ON FUNCTION embedding.forget_viewer(viewer text) IS 'Remove the cached questions of a viewer, whatever login asked for them; returns how many.';

REVOKE ALL ON FUNCTION embedding.forget_viewer(viewer text) FROM PUBLIC;

CREATE FUNCTION embedding.has_own_index(set_id integer, scope_id bigint) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 a8b7281f7aa76497';

COMMENT ON FUNCTION embedding.has_own_index(set_id integer, scope_id bigint) IS 'Whether a scope has a vector index of its own in a set, built and ready.';

REVOKE ALL ON FUNCTION embedding.has_own_index(set_id integer, scope_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.has_own_index(set_id integer, scope_id bigint) TO pgkb_admin;

CREATE FUNCTION embedding.index_condition(scope_id bigint, prefix text DEFAULT ''::text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2cc1229750caa7d4';

COMMENT ON FUNCTION embedding.index_condition(scope_id bigint, prefix text) IS 'What is true of the rows of the index that holds the text of a scope (embedding.index_part), as it stands in that index and in a search of it.';

REVOKE ALL ON FUNCTION embedding.index_condition(scope_id bigint, prefix text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.index_condition(scope_id bigint, prefix text) TO pgkb_admin;

CREATE FUNCTION embedding.index_part(scope_id bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 44857df1c72ab2b7';

COMMENT ON FUNCTION embedding.index_part(scope_id bigint) IS 'Which of a set''s vector indexes holds the text of a scope: national, or one half of all other text.';

REVOKE ALL ON FUNCTION embedding.index_part(scope_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.index_part(scope_id bigint) TO pgkb_admin;

CREATE FUNCTION embedding.index_statements(set_id integer) RETURNS TABLE(index_name text, statement text)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2d14feec2441332c';

COMMENT ON FUNCTION embedding.index_statements(set_id integer) IS 'The indexes that searches of a set read, each with the statement that builds it while the searches go on.';

REVOKE ALL ON FUNCTION embedding.index_statements(set_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.index_statements(set_id integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.index_statements(set_id integer) TO pgkb_admin;

CREATE FUNCTION embedding.keep_filled(chunk_ids bigint[], vectors public.halfvec[], set_id integer, embedded integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9d0a4d7c7c2668a5';

COMMENT ON FUNCTION embedding.keep_filled(chunk_ids bigint[], vectors public.halfvec[], set_id integer, embedded integer) IS 'Put checked vectors of chunks that waited where they belong, and the same for every waiting chunk of the same text; returns how many chunks got one.';

REVOKE ALL ON FUNCTION embedding.keep_filled(chunk_ids bigint[], vectors public.halfvec[], set_id integer, embedded integer) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.keep_filled(chunk_ids bigint[], vectors public.halfvec[], set_id integer, embedded integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.keep_filled(chunk_ids bigint[], vectors public.halfvec[], set_id integer, embedded integer) TO pgkb_admin;

CREATE FUNCTION embedding.keep_vectors(chunk_ids bigint[], vectors public.halfvec[], set_id integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 dad73bc0e274d35e';

COMMENT ON FUNCTION embedding.keep_vectors(chunk_ids bigint[], vectors public.halfvec[], set_id integer) IS 'Put checked vectors of chunks where they belong; returns how many were new.';

REVOKE ALL ON FUNCTION embedding.keep_vectors(chunk_ids bigint[], vectors public.halfvec[], set_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.keep_vectors(chunk_ids bigint[], vectors public.halfvec[], set_id integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.keep_vectors(chunk_ids bigint[], vectors public.halfvec[], set_id integer) TO pgkb_admin;

CREATE FUNCTION embedding.missing_indexes(set_id integer) RETURNS TABLE(index_name text, statement text, broken boolean)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f7648b1a33c335b6';

COMMENT ON FUNCTION embedding.missing_indexes(set_id integer) IS 'The indexes a set lacks or has from a build that broke, each with the statement that builds it.';

REVOKE ALL ON FUNCTION embedding.missing_indexes(set_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.missing_indexes(set_id integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.missing_indexes(set_id integer) TO pgkb_admin;

CREATE FUNCTION embedding.named_set(set_name text) RETURNS embedding.set
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f593a21d3c07b645';

COMMENT ON FUNCTION embedding.named_set(set_name text) IS 'The embedding set of that name; NULL is the active one.';

REVOKE ALL ON FUNCTION embedding.named_set(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.named_set(set_name text) TO pgkb_app;
GRANT ALL ON FUNCTION embedding.named_set(set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.named_set(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.note_spend(chunk_ids bigint[], tokens bigint[], set_name text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d564045a420fa924';

COMMENT ON FUNCTION embedding.note_spend(chunk_ids bigint[], tokens bigint[], set_name text) IS 'Add the tokens that a call to the provider used to the versions its chunks belong to; returns how many versions.';

REVOKE ALL ON FUNCTION embedding.note_spend(chunk_ids bigint[], tokens bigint[], set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.note_spend(chunk_ids bigint[], tokens bigint[], set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.note_spend(chunk_ids bigint[], tokens bigint[], set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.own_index(set_id integer, scope_id bigint) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 393e30cb223866e7';

COMMENT ON FUNCTION embedding.own_index(set_id integer, scope_id bigint) IS 'The name of the vector index of one scope alone in a set, whether there is one or not.';

REVOKE ALL ON FUNCTION embedding.own_index(set_id integer, scope_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.own_index(set_id integer, scope_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.own_index(set_id integer, scope_id bigint) TO pgkb_admin;

CREATE FUNCTION embedding.previous_set() RETURNS embedding.set
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ba31fb4139245a09';

COMMENT ON FUNCTION embedding.previous_set() IS 'The set that was active before and is kept up: where embedding.activate goes back to.';

REVOKE ALL ON FUNCTION embedding.previous_set() FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.previous_set() TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.previous_set() TO pgkb_admin;

CREATE FUNCTION embedding.purge_queries() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 380b8737652f0fde';

COMMENT ON FUNCTION embedding.purge_queries() IS 'Remove the cached questions that can no longer be used; returns how many.';

REVOKE ALL ON FUNCTION embedding.purge_queries() FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.purge_queries() TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.purge_queries() TO pgkb_admin;

CREATE FUNCTION embedding.question_hash(question text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 64621724762a6dde';

COMMENT ON FUNCTION embedding.question_hash(question text) IS 'SHA-256 of the folded question: what stands in the cache instead of the question.';

REVOKE ALL ON FUNCTION embedding.question_hash(question text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.question_hash(question text) TO pgkb_app;
GRANT ALL ON FUNCTION embedding.question_hash(question text) TO pgkb_admin;

CREATE FUNCTION embedding.release_chunks(set_name text, chunk_ids bigint[], reason text, pause interval DEFAULT '00:00:00'::interval, final boolean DEFAULT false) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2637cb6ba0455537';

COMMENT ON FUNCTION embedding.release_chunks(set_name text, chunk_ids bigint[], reason text, pause interval, final boolean) IS 'Give claimed chunks back after a failure: to be claimed again after a while, or given up when final.';

REVOKE ALL ON FUNCTION embedding.release_chunks(set_name text, chunk_ids bigint[], reason text, pause interval, final boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.release_chunks(set_name text, chunk_ids bigint[], reason text, pause interval, final boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.release_chunks(set_name text, chunk_ids bigint[], reason text, pause interval, final boolean) TO pgkb_admin;

CREATE FUNCTION embedding.remember_query(viewer text, question text, given public.vector, set_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 13c5b9b7fc79b274';

COMMENT ON FUNCTION embedding.remember_query(viewer text, question text, given public.vector, set_name text) IS 'Keep the vector of a question for this viewer of this login until kb.query_cache_days are over.';

REVOKE ALL ON FUNCTION embedding.remember_query(viewer text, question text, given public.vector, set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.remember_query(viewer text, question text, given public.vector, set_name text) TO pgkb_app;
GRANT ALL ON FUNCTION embedding.remember_query(viewer text, question text, given public.vector, set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.searched_set(set_name text) RETURNS embedding.set
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 09bd2faee986d6d4';

COMMENT ON FUNCTION embedding.searched_set(set_name text) IS 'The set a search is to use: the active one, or the one its vector was made for while that is kept whole.';

REVOKE ALL ON FUNCTION embedding.searched_set(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.searched_set(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.set_endpoint(name text, url text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 41240148da157069';

COMMENT ON FUNCTION embedding.set_endpoint(name text, url text) IS 'Set the OpenAI-compatible address that embedding.embed_text asks for a set''s vectors; NULL is none.';

REVOKE ALL ON FUNCTION embedding.set_endpoint(name text, url text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.set_endpoint(name text, url text) TO pgkb_admin;

CREATE FUNCTION embedding.spare_indexes(set_id integer) RETURNS TABLE(index_name text)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8f6eeec24ffc4c02';

COMMENT ON FUNCTION embedding.spare_indexes(set_id integer) IS 'The vector indexes of a set that no search reads once those of embedding.index_statements are there.';

REVOKE ALL ON FUNCTION embedding.spare_indexes(set_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.spare_indexes(set_id integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.spare_indexes(set_id integer) TO pgkb_admin;

CREATE FUNCTION embedding.start_fill(set_name text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 66e33ea873cfe168';

COMMENT ON FUNCTION embedding.start_fill(set_name text) IS 'Note every chunk that lacks its vector in a set, and keep noting those of new documents; returns how many wait.';

REVOKE ALL ON FUNCTION embedding.start_fill(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.start_fill(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.stop_fill(set_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 137730b7b2bd83ab';

COMMENT ON FUNCTION embedding.stop_fill(set_name text) IS 'Stop seeing to a set''s vectors: nothing is kept up any more, what is there stays; the active set is refused.';

REVOKE ALL ON FUNCTION embedding.stop_fill(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.stop_fill(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.store_filled(set_name text, chunk_ids bigint[], numbers real[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 91f3251fc3543c36';

COMMENT ON FUNCTION embedding.store_filled(set_name text, chunk_ids bigint[], numbers real[]) IS 'Store the vectors of claimed chunks, given as one row of numbers, and the same for every waiting chunk of the same text; returns how many chunks got one.';

REVOKE ALL ON FUNCTION embedding.store_filled(set_name text, chunk_ids bigint[], numbers real[]) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.store_filled(set_name text, chunk_ids bigint[], numbers real[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.store_filled(set_name text, chunk_ids bigint[], numbers real[]) TO pgkb_admin;

CREATE FUNCTION embedding.store_numbers(chunk_ids bigint[], numbers real[], set_name text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ae6e7b5a04596a89';

COMMENT ON FUNCTION embedding.store_numbers(chunk_ids bigint[], numbers real[], set_name text) IS 'Store vectors of chunks in a set (the active one when not named), given as one row of numbers, the vectors one behind the other; returns how many were new. All or none.';

REVOKE ALL ON FUNCTION embedding.store_numbers(chunk_ids bigint[], numbers real[], set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.store_numbers(chunk_ids bigint[], numbers real[], set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.store_numbers(chunk_ids bigint[], numbers real[], set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.store_vectors(chunk_ids bigint[], vectors text[], set_name text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9673c91f3642877f';

COMMENT ON FUNCTION embedding.store_vectors(chunk_ids bigint[], vectors text[], set_name text) IS 'Store vectors of chunks in a set (the active one when not named); returns how many were new. All or none.';

REVOKE ALL ON FUNCTION embedding.store_vectors(chunk_ids bigint[], vectors text[], set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.store_vectors(chunk_ids bigint[], vectors text[], set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.store_vectors(chunk_ids bigint[], vectors text[], set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.text_of(title text, content text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 57e0ac18271c9152';

COMMENT ON FUNCTION embedding.text_of(title text, content text) IS 'What is sent to the model for a chunk: the title, so that a passage knows what it is about, and the passage.';

REVOKE ALL ON FUNCTION embedding.text_of(title text, content text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.text_of(title text, content text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.text_of(title text, content text) TO pgkb_admin;

CREATE FUNCTION embedding.vector__clear_bits() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 77e569ae983494a0';

COMMENT ON FUNCTION embedding.vector__clear_bits() IS 'A truncated partition of embedding.vector has no bits: truncating fires no trigger for rows, and a trigger of the table does not fire for a partition.';

REVOKE ALL ON FUNCTION embedding.vector__clear_bits() FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.vector__clear_bits() TO pgkb_admin;

CREATE FUNCTION embedding.vector__keep_bits() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 15923053a3b3c3a6';

COMMENT ON FUNCTION embedding.vector__keep_bits() IS 'Every vector has its bits in embedding.bit_vector, whoever puts it there or takes it away.';

REVOKE ALL ON FUNCTION embedding.vector__keep_bits() FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.vector__keep_bits() TO pgkb_admin;

CREATE FUNCTION embedding.want_version(version_id bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 48f70fece6385b62';

COMMENT ON FUNCTION embedding.want_version(version_id bigint) IS 'Note the chunks of a version that lack their vector in a set that is filled or kept up beside the active one.';

REVOKE ALL ON FUNCTION embedding.want_version(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.want_version(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.want_version(version_id bigint) TO pgkb_admin;

CREATE TRIGGER vector__keep_bits AFTER INSERT OR DELETE OR UPDATE ON embedding.vector FOR EACH ROW EXECUTE FUNCTION embedding.vector__keep_bits();

CREATE TRIGGER vector__clear_bits AFTER TRUNCATE ON embedding.vector_1 FOR EACH STATEMENT EXECUTE FUNCTION embedding.vector__clear_bits('1');

CREATE TRIGGER vector__clear_bits AFTER TRUNCATE ON embedding.vector_2 FOR EACH STATEMENT EXECUTE FUNCTION embedding.vector__clear_bits('2');

CREATE SCHEMA eval;

COMMENT ON SCHEMA eval IS 'Judged questions, what the search answered to them, and how good that was.';

GRANT USAGE ON SCHEMA eval TO pgkb_admin;

CREATE TABLE eval.document (
    question_set_id integer NOT NULL,
    document_key text NOT NULL,
    document_id bigint NOT NULL
);

COMMENT ON COLUMN eval.document.document_id IS 'The stored document.';

COMMENT ON COLUMN eval.document.document_key IS 'Name in the judgements.';

COMMENT ON COLUMN eval.document.question_set_id IS 'The set.';

COMMENT ON TABLE eval.document IS 'Which stored document a judgement''s name means; texts that are there twice share a document.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE eval.document TO pgkb_admin;

CREATE TABLE eval.judgement (
    question_id bigint NOT NULL,
    document_key text NOT NULL,
    grade integer NOT NULL,
    forbidden boolean DEFAULT false NOT NULL,
    CONSTRAINT judgement_forbidden_is_not_relevant CHECK (((NOT forbidden) OR (grade = 0))),
    CONSTRAINT judgement_grade_is_mild CHECK (((grade >= 0) AND (grade <= 100)))
);

COMMENT ON COLUMN eval.judgement.document_key IS 'Name of the document.';

COMMENT ON COLUMN eval.judgement.forbidden IS 'Must never be in the answer: another area''s, superseded, not for this reader.';

COMMENT ON COLUMN eval.judgement.grade IS '0 is judged and not relevant; more is better.';

COMMENT ON COLUMN eval.judgement.question_id IS 'The question.';

COMMENT ON TABLE eval.judgement IS 'How relevant a document is to a question.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE eval.judgement TO pgkb_admin;

CREATE TABLE eval.outcome (
    run_id bigint NOT NULL,
    question_key text NOT NULL,
    kind text NOT NULL,
    split text NOT NULL,
    documents text[] NOT NULL,
    milliseconds double precision NOT NULL,
    ndcg_10 double precision,
    recall_8 double precision,
    recall_50 double precision,
    reciprocal_rank double precision,
    nothing_was_right boolean,
    forbidden_shown integer NOT NULL
);

COMMENT ON COLUMN eval.outcome.documents IS 'Names of the documents in the answer, best first.';

COMMENT ON COLUMN eval.outcome.forbidden_shown IS 'Forbidden documents in the answer; must be 0.';

COMMENT ON COLUMN eval.outcome.kind IS 'Kind of the question.';

COMMENT ON COLUMN eval.outcome.milliseconds IS 'How long the search took.';

COMMENT ON COLUMN eval.outcome.ndcg_10 IS 'eval.ndcg to depth 10; NULL where nothing is relevant, as the next three.';

COMMENT ON COLUMN eval.outcome.nothing_was_right IS 'Where nothing is relevant: whether nothing was shown; NULL elsewhere.';

COMMENT ON COLUMN eval.outcome.question_key IS 'Name of the question.';

COMMENT ON COLUMN eval.outcome.recall_50 IS 'Share of the relevant documents among the first 50.';

COMMENT ON COLUMN eval.outcome.recall_8 IS 'Share of the relevant documents among the first 8.';

COMMENT ON COLUMN eval.outcome.reciprocal_rank IS 'One over the rank of the first relevant document.';

COMMENT ON COLUMN eval.outcome.run_id IS 'The run.';

COMMENT ON COLUMN eval.outcome.split IS 'Split of the question.';

COMMENT ON TABLE eval.outcome IS 'What a run answered to a question and how good that was; the question''s words are not in it.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE eval.outcome TO pgkb_admin;

CREATE TABLE eval.pool (
    question_id bigint NOT NULL,
    vector_hits search.vector_hit[] NOT NULL,
    keyword_hits search.keyword_hit[] NOT NULL
);

COMMENT ON COLUMN eval.pool.keyword_hits IS 'The keyword leg, best first.';

COMMENT ON COLUMN eval.pool.question_id IS 'The question.';

COMMENT ON COLUMN eval.pool.vector_hits IS 'The vector leg, best first.';

COMMENT ON TABLE eval.pool IS 'Both legs of a question at their full depth, so that fusion can be tried again and again.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE eval.pool TO pgkb_admin;

CREATE TABLE eval.pool_chunk (
    question_id bigint NOT NULL,
    chunk_id bigint NOT NULL,
    document_key text NOT NULL,
    worth double precision NOT NULL
);

COMMENT ON COLUMN eval.pool_chunk.chunk_id IS 'The chunk.';

COMMENT ON COLUMN eval.pool_chunk.document_key IS 'Name of its document.';

COMMENT ON COLUMN eval.pool_chunk.question_id IS 'The question.';

COMMENT ON COLUMN eval.pool_chunk.worth IS 'Product of its weights after fusion.';

COMMENT ON TABLE eval.pool_chunk IS 'What fusion does not decide about a pooled chunk. Chunks under the floor are not there.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE eval.pool_chunk TO pgkb_admin;

CREATE TABLE eval.question (
    question_id bigint NOT NULL,
    question_set_id integer NOT NULL,
    question_key text NOT NULL,
    kind text NOT NULL,
    split text NOT NULL,
    question text NOT NULL,
    la text,
    home_la text,
    urn text,
    tags text[],
    as_of date,
    note text DEFAULT ''::text NOT NULL,
    CONSTRAINT question_has_words CHECK ((question ~ '\S'::text)),
    CONSTRAINT question_split_is_known CHECK ((split = ANY (ARRAY['tune'::text, 'held-out'::text])))
);

COMMENT ON COLUMN eval.question.as_of IS 'Argument as_of.';

COMMENT ON COLUMN eval.question.home_la IS 'Argument home_la.';

COMMENT ON COLUMN eval.question.kind IS 'What it tests, e.g. la-bias or no-answer.';

COMMENT ON COLUMN eval.question.la IS 'Argument la of search_kb.';

COMMENT ON COLUMN eval.question.note IS 'Why it is judged so.';

COMMENT ON COLUMN eval.question.question IS 'The words.';

COMMENT ON COLUMN eval.question.question_id IS 'Key.';

COMMENT ON COLUMN eval.question.question_key IS 'Name of the question within its set.';

COMMENT ON COLUMN eval.question.question_set_id IS 'The set.';

COMMENT ON COLUMN eval.question.split IS 'tune: settings may be chosen by it; held-out: only reported.';

COMMENT ON COLUMN eval.question.tags IS 'Argument tags.';

COMMENT ON COLUMN eval.question.urn IS 'Argument urn.';

COMMENT ON TABLE eval.question IS 'A judged question, and for whom it is asked. Written by authors, never by users.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE eval.question TO pgkb_admin;

CREATE TABLE eval.question_set (
    question_set_id integer NOT NULL,
    name text NOT NULL,
    digest bytea NOT NULL,
    loaded_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON COLUMN eval.question_set.digest IS 'SHA-256 of questions and judgements: figures are only compared between equal ones.';

COMMENT ON COLUMN eval.question_set.loaded_at IS 'When these questions were loaded.';

COMMENT ON COLUMN eval.question_set.name IS 'Name people use, e.g. send or scifact.';

COMMENT ON COLUMN eval.question_set.question_set_id IS 'Key.';

COMMENT ON TABLE eval.question_set IS 'A set of judged questions over one corpus.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE eval.question_set TO pgkb_admin;

CREATE TABLE eval.question_vector (
    question_id bigint NOT NULL,
    set_id integer NOT NULL,
    embedding public.halfvec NOT NULL
);

COMMENT ON COLUMN eval.question_vector.embedding IS 'The vector.';

COMMENT ON COLUMN eval.question_vector.question_id IS 'The question.';

COMMENT ON COLUMN eval.question_vector.set_id IS 'The embedding set.';

COMMENT ON TABLE eval.question_vector IS 'Vectors of judged questions, per embedding set.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE eval.question_vector TO pgkb_admin;

CREATE TABLE eval.run (
    run_id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    set_name text NOT NULL,
    set_digest bytea NOT NULL,
    mode text NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT run_mode_is_known CHECK ((mode = ANY (ARRAY['vector'::text, 'keyword'::text, 'hybrid'::text])))
);

COMMENT ON COLUMN eval.run.at IS 'When it started.';

COMMENT ON COLUMN eval.run.mode IS 'vector or keyword: that leg alone; hybrid: both.';

COMMENT ON COLUMN eval.run.run_id IS 'Key.';

COMMENT ON COLUMN eval.run.set_digest IS 'Digest of the set as it was then.';

COMMENT ON COLUMN eval.run.set_name IS 'Name of the set.';

COMMENT ON COLUMN eval.run.settings IS 'Settings kb.* that were changed for the run.';

COMMENT ON TABLE eval.run IS 'One pass over the questions of a set. Holds names, not keys: it outlives the corpus it ran on.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE eval.run TO pgkb_admin;

ALTER TABLE eval.question ALTER COLUMN question_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME eval.question_question_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE eval.question_set ALTER COLUMN question_set_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME eval.question_set_question_set_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE eval.run ALTER COLUMN run_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME eval.run_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY eval.document
    ADD CONSTRAINT document_pk PRIMARY KEY (question_set_id, document_key);

ALTER TABLE ONLY eval.judgement
    ADD CONSTRAINT judgement_pk PRIMARY KEY (question_id, document_key);

ALTER TABLE ONLY eval.outcome
    ADD CONSTRAINT outcome_pk PRIMARY KEY (run_id, question_key);

ALTER TABLE ONLY eval.pool
    ADD CONSTRAINT pool_pk PRIMARY KEY (question_id);

ALTER TABLE ONLY eval.pool_chunk
    ADD CONSTRAINT pool_chunk_pk PRIMARY KEY (question_id, chunk_id);

ALTER TABLE ONLY eval.question
    ADD CONSTRAINT question_once_per_set UNIQUE (question_set_id, question_key);

ALTER TABLE ONLY eval.question
    ADD CONSTRAINT question_pk PRIMARY KEY (question_id);

ALTER TABLE ONLY eval.question_set
    ADD CONSTRAINT question_set_name_once UNIQUE (name);

ALTER TABLE ONLY eval.question_set
    ADD CONSTRAINT question_set_pk PRIMARY KEY (question_set_id);

ALTER TABLE ONLY eval.question_vector
    ADD CONSTRAINT question_vector_pk PRIMARY KEY (question_id, set_id);

ALTER TABLE ONLY eval.run
    ADD CONSTRAINT run_pk PRIMARY KEY (run_id);

ALTER TABLE ONLY eval.document
    ADD CONSTRAINT document_corpus_fk FOREIGN KEY (document_id) REFERENCES corpus.document(document_id) ON DELETE CASCADE;

ALTER TABLE ONLY eval.document
    ADD CONSTRAINT document_set_fk FOREIGN KEY (question_set_id) REFERENCES eval.question_set(question_set_id) ON DELETE CASCADE;

ALTER TABLE ONLY eval.judgement
    ADD CONSTRAINT judgement_question_fk FOREIGN KEY (question_id) REFERENCES eval.question(question_id) ON DELETE CASCADE;

ALTER TABLE ONLY eval.outcome
    ADD CONSTRAINT outcome_run_fk FOREIGN KEY (run_id) REFERENCES eval.run(run_id) ON DELETE CASCADE;

ALTER TABLE ONLY eval.pool
    ADD CONSTRAINT pool_question_fk FOREIGN KEY (question_id) REFERENCES eval.question(question_id) ON DELETE CASCADE;

ALTER TABLE ONLY eval.pool_chunk
    ADD CONSTRAINT pool_chunk_pool_fk FOREIGN KEY (question_id) REFERENCES eval.pool(question_id) ON DELETE CASCADE;

ALTER TABLE ONLY eval.question
    ADD CONSTRAINT question_set_fk FOREIGN KEY (question_set_id) REFERENCES eval.question_set(question_set_id) ON DELETE CASCADE;

ALTER TABLE ONLY eval.question_vector
    ADD CONSTRAINT question_vector_question_fk FOREIGN KEY (question_id) REFERENCES eval.question(question_id) ON DELETE CASCADE;

ALTER TABLE ONLY eval.question_vector
    ADD CONSTRAINT question_vector_set_fk FOREIGN KEY (set_id) REFERENCES embedding.set(set_id) ON DELETE CASCADE;

CREATE INDEX document_corpus_idx ON eval.document USING btree (document_id);

CREATE INDEX question_vector_set_idx ON eval.question_vector USING btree (set_id);

CREATE INDEX run_set_idx ON eval.run USING btree (set_name, run_id);

CREATE VIEW eval.figure AS
 SELECT run_id,
    COALESCE(kind, 'all'::text) AS kind,
    count(*) AS questions,
    avg(ndcg_10) AS ndcg_10,
    avg(recall_8) AS recall_8,
    avg(recall_50) AS recall_50,
    avg(reciprocal_rank) AS mrr,
    (avg((nothing_was_right)::integer))::double precision AS right_none,
    sum(forbidden_shown) AS forbidden_shown,
    percentile_cont((0.5)::double precision) WITHIN GROUP (ORDER BY milliseconds) AS median_ms
   FROM eval.outcome o
  GROUP BY GROUPING SETS ((run_id), (run_id, kind));

COMMENT ON COLUMN eval.figure.forbidden_shown IS 'Forbidden documents shown, in all.';

COMMENT ON COLUMN eval.figure.kind IS 'Kind of question; all is every kind.';

COMMENT ON COLUMN eval.figure.median_ms IS 'Median time of a search.';

COMMENT ON COLUMN eval.figure.mrr IS 'Mean reciprocal rank.';

COMMENT ON COLUMN eval.figure.ndcg_10 IS 'Mean nDCG@10 over the questions to which something is relevant.';

COMMENT ON COLUMN eval.figure.questions IS 'How many questions.';

COMMENT ON COLUMN eval.figure.recall_50 IS 'Mean recall@50.';

COMMENT ON COLUMN eval.figure.recall_8 IS 'Mean recall@8.';

COMMENT ON COLUMN eval.figure.right_none IS 'Share of the questions without a relevant document that were answered with nothing.';

COMMENT ON COLUMN eval.figure.run_id IS 'The run.';

COMMENT ON VIEW eval.figure IS 'Means of a run over its questions, and over those of each kind.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE eval.figure TO pgkb_admin;

CREATE VIEW eval.verdict AS
 SELECT j.question_id,
    COALESCE(n.document_key, j.document_key) AS document_key,
    max(j.grade) AS grade,
    bool_or(j.forbidden) AS forbidden
   FROM (((eval.judgement j
     JOIN eval.question q ON ((j.question_id = q.question_id)))
     LEFT JOIN eval.document d ON (((q.question_set_id = d.question_set_id) AND (j.document_key = d.document_key))))
     LEFT JOIN LATERAL ( SELECT min(t.document_key) AS document_key
           FROM eval.document t
          WHERE ((t.question_set_id = d.question_set_id) AND (t.document_id = d.document_id))) n ON (true))
  GROUP BY j.question_id, COALESCE(n.document_key, j.document_key);

COMMENT ON COLUMN eval.verdict.document_key IS 'Name of the document.';

COMMENT ON COLUMN eval.verdict.forbidden IS 'Whether it must never be shown.';

COMMENT ON COLUMN eval.verdict.grade IS 'How relevant it is.';

COMMENT ON COLUMN eval.verdict.question_id IS 'The question.';

COMMENT ON VIEW eval.verdict IS 'Judgements with one name per stored document: of names that share a text the first, with the best grade.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE eval.verdict TO pgkb_admin;

CREATE FUNCTION eval.answer(run_id bigint, at_most integer DEFAULT NULL::integer) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 bbb4e753a189bead';

COMMENT ON FUNCTION eval.answer(run_id bigint, at_most integer) IS 'Ask the next questions of a run the way a person''s question is asked, judge the answers and store both; returns how many questions are left.';

REVOKE ALL ON FUNCTION eval.answer(run_id bigint, at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.answer(run_id bigint, at_most integer) TO pgkb_admin;

CREATE FUNCTION eval.document_name(question_set_id integer, document_id bigint) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0dd5fb421d5ec011';

COMMENT ON FUNCTION eval.document_name(question_set_id integer, document_id bigint) IS 'The name that judgements of a set give a stored document: the first where it has several, its number where it has none.';

REVOKE ALL ON FUNCTION eval.document_name(question_set_id integer, document_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.document_name(question_set_id integer, document_id bigint) TO pgkb_admin;

CREATE FUNCTION eval.export_run(run_id bigint) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 586eba617d78a3d8';

COMMENT ON FUNCTION eval.export_run(run_id bigint) IS 'A run with its outcomes as one value, for eval.import_run of another database.';

REVOKE ALL ON FUNCTION eval.export_run(run_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.export_run(run_id bigint) TO pgkb_admin;

CREATE FUNCTION eval.fill_pool(set_name text, depth integer, settings jsonb DEFAULT '{}'::jsonb, at_most integer DEFAULT NULL::integer) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 fcade16a26a6663b';

COMMENT ON FUNCTION eval.fill_pool(set_name text, depth integer, settings jsonb, at_most integer) IS 'Run both legs of every question of a set once, to this depth, and keep what fusion needs; returns how many questions are left.';

REVOKE ALL ON FUNCTION eval.fill_pool(set_name text, depth integer, settings jsonb, at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.fill_pool(set_name text, depth integer, settings jsonb, at_most integer) TO pgkb_admin;

CREATE FUNCTION eval.import_run(exported jsonb) RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 525035a20ac65892';

COMMENT ON FUNCTION eval.import_run(exported jsonb) IS 'Keep a run that was made in another database; returns its number here.';

REVOKE ALL ON FUNCTION eval.import_run(exported jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.import_run(exported jsonb) TO pgkb_admin;

CREATE FUNCTION eval.load_set(name text, digest bytea, questions jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4aab52cdb7263af6';

COMMENT ON FUNCTION eval.load_set(name text, digest bytea, questions jsonb) IS 'Replace a set of judged questions by another version of it; nothing changes when the digest is the same.';

REVOKE ALL ON FUNCTION eval.load_set(name text, digest bytea, questions jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.load_set(name text, digest bytea, questions jsonb) TO pgkb_admin;

CREATE FUNCTION eval.name_documents(set_name text, document_keys text[], document_ids bigint[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 70021dd7125236fd';

COMMENT ON FUNCTION eval.name_documents(set_name text, document_keys text[], document_ids bigint[]) IS 'Say which stored document each name in a set''s judgements means; replaces what was said before.';

REVOKE ALL ON FUNCTION eval.name_documents(set_name text, document_keys text[], document_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.name_documents(set_name text, document_keys text[], document_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION eval.named_set(name text) RETURNS eval.question_set
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 31710a3464f38894';

COMMENT ON FUNCTION eval.named_set(name text) IS 'The set of judged questions with this name.';

REVOKE ALL ON FUNCTION eval.named_set(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.named_set(name text) TO pgkb_admin;

CREATE FUNCTION eval.ndcg(gains integer[], judged integer[], depth integer) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 71b1aa83d9c12c76';

COMMENT ON FUNCTION eval.ndcg(gains integer[], judged integer[], depth integer) IS 'Normalised discounted cumulative gain to a depth: gains in the order of the answer against the best order of all judged grades; NULL when none is over 0.';

REVOKE ALL ON FUNCTION eval.ndcg(gains integer[], judged integer[], depth integer) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.ndcg(gains integer[], judged integer[], depth integer) TO pgkb_admin;

CREATE FUNCTION eval.previous_run(run_id bigint) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0b0e5b6235b9f042';

COMMENT ON FUNCTION eval.previous_run(run_id bigint) IS 'The last run before this one of the same questions in the same way, to compare with; NULL when there is none.';

REVOKE ALL ON FUNCTION eval.previous_run(run_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.previous_run(run_id bigint) TO pgkb_admin;

CREATE FUNCTION eval.recall(gains integer[], judged integer[], depth integer) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e9468b72af3a8c38';

COMMENT ON FUNCTION eval.recall(gains integer[], judged integer[], depth integer) IS 'Share of the relevant documents that stand among the first of the answer; NULL when nothing is relevant.';

REVOKE ALL ON FUNCTION eval.recall(gains integer[], judged integer[], depth integer) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.recall(gains integer[], judged integer[], depth integer) TO pgkb_admin;

CREATE FUNCTION eval.reciprocal_rank(gains integer[], judged integer[]) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8f778beae6d6689c';

COMMENT ON FUNCTION eval.reciprocal_rank(gains integer[], judged integer[]) IS 'One over the rank of the first relevant document, 0 when none is shown; NULL when nothing is relevant.';

REVOKE ALL ON FUNCTION eval.reciprocal_rank(gains integer[], judged integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.reciprocal_rank(gains integer[], judged integer[]) TO pgkb_admin;

CREATE FUNCTION eval.require_vectors(question_set eval.question_set) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9dcf2065f9f046e2';

COMMENT ON FUNCTION eval.require_vectors(question_set eval.question_set) IS 'Refuse a set whose questions lack their vectors in the active embedding set.';

REVOKE ALL ON FUNCTION eval.require_vectors(question_set eval.question_set) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.require_vectors(question_set eval.question_set) TO pgkb_admin;

CREATE FUNCTION eval.start_run(set_name text, mode text DEFAULT 'hybrid'::text, settings jsonb DEFAULT '{}'::jsonb) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 497a2901aa9fef30';

COMMENT ON FUNCTION eval.start_run(set_name text, mode text, settings jsonb) IS 'Begin a run of a set: mode vector, keyword or hybrid, with settings kb.* changed for it; eval.answer goes on.';

REVOKE ALL ON FUNCTION eval.start_run(set_name text, mode text, settings jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.start_run(set_name text, mode text, settings jsonb) TO pgkb_admin;

CREATE FUNCTION eval.store_vectors(set_name text, question_keys text[], vectors text[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2ad5b07911e32357';

COMMENT ON FUNCTION eval.store_vectors(set_name text, question_keys text[], vectors text[]) IS 'Store the vectors of a set''s questions for the active embedding set; returns how many there are.';

REVOKE ALL ON FUNCTION eval.store_vectors(set_name text, question_keys text[], vectors text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.store_vectors(set_name text, question_keys text[], vectors text[]) TO pgkb_admin;

CREATE FUNCTION eval.sweep(set_name text, candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision) RETURNS TABLE(question_key text, split text, ndcg_10 double precision, recall_8 double precision, reciprocal_rank double precision)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 615fcfa52360a541';

COMMENT ON FUNCTION eval.sweep(set_name text, candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision) IS 'What one choice of fusion gives for every pooled question of a set: fused anew by search.fuse, weighed, judged.';

REVOKE ALL ON FUNCTION eval.sweep(set_name text, candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.sweep(set_name text, candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision) TO pgkb_admin;

CREATE FUNCTION eval.use_settings(settings jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 025fdd0c16f3fee4';

COMMENT ON FUNCTION eval.use_settings(settings jsonb) IS 'Set settings kb.* for the rest of the transaction, each checked first; returns what they were, to be given back the same way.';

REVOKE ALL ON FUNCTION eval.use_settings(settings jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.use_settings(settings jsonb) TO pgkb_admin;

CREATE SCHEMA intake;

COMMENT ON SCHEMA intake IS 'Addresses handed in to be fetched, and what became of each.';

GRANT USAGE ON SCHEMA intake TO pgkb_app;
GRANT USAGE ON SCHEMA intake TO pgkb_ingest;
GRANT USAGE ON SCHEMA intake TO pgkb_admin;

CREATE TABLE intake.batch (
    batch_id uuid DEFAULT gen_random_uuid() NOT NULL,
    la_code text,
    school_urn text,
    owner text,
    principals text[],
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    authority text,
    document_type text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    handed_in_by text NOT NULL
);

COMMENT ON COLUMN intake.batch.authority IS 'Kind of publisher.';

COMMENT ON COLUMN intake.batch.batch_id IS 'Key; nobody guesses it.';

COMMENT ON COLUMN intake.batch.created_at IS 'When it was handed in.';

COMMENT ON COLUMN intake.batch.document_type IS 'What they are, e.g. policy.';

COMMENT ON COLUMN intake.batch.handed_in_by IS 'Who handed it in.';

COMMENT ON COLUMN intake.batch.la_code IS 'The authority its documents belong to, as it was given.';

COMMENT ON COLUMN intake.batch.owner IS 'The principal they are private to.';

COMMENT ON COLUMN intake.batch.principals IS 'Whom the owner shares them with.';

COMMENT ON COLUMN intake.batch.school_urn IS 'The school they belong to.';

COMMENT ON COLUMN intake.batch.tags IS 'Topic slugs they get.';

COMMENT ON TABLE intake.batch IS 'Addresses that were handed in together; goes 24 hours after the last of them is done.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE intake.batch TO pgkb_ingest;
GRANT SELECT ON TABLE intake.batch TO pgkb_admin;

CREATE TABLE intake.page (
    page_id bigint NOT NULL,
    batch_id uuid NOT NULL,
    "position" integer NOT NULL,
    url text NOT NULL,
    outcome text,
    reason text,
    final_url text,
    title text,
    version_id bigint,
    existing_source text,
    finished_at timestamp with time zone,
    CONSTRAINT page_is_finished_with_an_outcome CHECK (((outcome IS NULL) = (finished_at IS NULL))),
    CONSTRAINT page_outcome_is_known CHECK ((outcome = ANY (ARRAY['staged'::text, 'unchanged'::text, 'duplicate'::text, 'refused'::text])))
);

COMMENT ON COLUMN intake.page."position" IS 'Its place among the addresses that were given, from 1.';

COMMENT ON COLUMN intake.page.batch_id IS 'Its batch.';

COMMENT ON COLUMN intake.page.existing_source IS 'The source a duplicate is the same as.';

COMMENT ON COLUMN intake.page.final_url IS 'Where it was found after redirects: the source of its document.';

COMMENT ON COLUMN intake.page.finished_at IS 'When its outcome was known.';

COMMENT ON COLUMN intake.page.outcome IS 'staged: a new text, to be published; unchanged, duplicate: it is there already; refused: it never will be.';

COMMENT ON COLUMN intake.page.page_id IS 'Key, and the subject of its task.';

COMMENT ON COLUMN intake.page.reason IS 'Why it was refused.';

COMMENT ON COLUMN intake.page.title IS 'Title of the page.';

COMMENT ON COLUMN intake.page.url IS 'The address in one spelling (intake.tidy_url), without a password.';

COMMENT ON COLUMN intake.page.version_id IS 'Its text; NULL when that was discarded.';

COMMENT ON TABLE intake.page IS 'An address of a batch. While it has no outcome, the task fetch_page of its page_id stands for it.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE intake.page TO pgkb_ingest;
GRANT SELECT ON TABLE intake.page TO pgkb_admin;

CREATE TABLE intake.upload (
    upload_id bigint NOT NULL,
    upload_key uuid DEFAULT gen_random_uuid() NOT NULL,
    kind text NOT NULL,
    spool_name text NOT NULL,
    file_name text NOT NULL,
    sha256 bytea NOT NULL,
    byte_count bigint NOT NULL,
    scope_id bigint NOT NULL,
    la_code text,
    school_urn text,
    title text,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    authority text,
    document_type text,
    effective_date date,
    handed_in_by text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    refusal text,
    remark text,
    finished_at timestamp with time zone,
    CONSTRAINT upload_hash_is_sha256 CHECK ((octet_length(sha256) = 32)),
    CONSTRAINT upload_holds_something CHECK ((byte_count > 0)),
    CONSTRAINT upload_is_finished_when_refused CHECK (((refusal IS NULL) OR (finished_at IS NOT NULL))),
    CONSTRAINT upload_kind_is_known CHECK ((kind = ANY (ARRAY['file'::text, 'archive'::text]))),
    CONSTRAINT upload_spool_is_a_plain_name CHECK ((spool_name ~ '^[0-9a-f]{32}$'::text))
);

COMMENT ON COLUMN intake.upload.authority IS 'Kind of publisher.';

COMMENT ON COLUMN intake.upload.byte_count IS 'How many they are.';

COMMENT ON COLUMN intake.upload.created_at IS 'When.';

COMMENT ON COLUMN intake.upload.document_type IS 'What it is, e.g. policy.';

COMMENT ON COLUMN intake.upload.effective_date IS 'The day it says it applies from.';

COMMENT ON COLUMN intake.upload.file_name IS 'The name it was given, fit to be shown and no path; the source of its document.';

COMMENT ON COLUMN intake.upload.finished_at IS 'When all of it was read.';

COMMENT ON COLUMN intake.upload.handed_in_by IS 'Who handed it in.';

COMMENT ON COLUMN intake.upload.kind IS 'file: one document; archive: a ZIP of them.';

COMMENT ON COLUMN intake.upload.la_code IS 'The authority its documents belong to.';

COMMENT ON COLUMN intake.upload.refusal IS 'Why nothing of it was taken.';

COMMENT ON COLUMN intake.upload.remark IS 'What an archive held.';

COMMENT ON COLUMN intake.upload.school_urn IS 'The school they belong to.';

COMMENT ON COLUMN intake.upload.scope_id IS 'Who will see its documents, unless their address says national.';

COMMENT ON COLUMN intake.upload.sha256 IS 'SHA-256 of its bytes.';

COMMENT ON COLUMN intake.upload.spool_name IS 'Where its bytes lie in the spool: a name of our own.';

COMMENT ON COLUMN intake.upload.tags IS 'Topic slugs its documents get.';

COMMENT ON COLUMN intake.upload.title IS 'The title that was stated; NULL takes the document''s own.';

COMMENT ON COLUMN intake.upload.upload_id IS 'Key, and the subject of its task.';

COMMENT ON COLUMN intake.upload.upload_key IS 'What people ask for it by; nobody guesses it.';

COMMENT ON TABLE intake.upload IS 'A file or an archive that was handed in: its bytes lie in the spool, the task read_upload of its upload_id stands for it. Goes 24 hours after it is done.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE intake.upload TO pgkb_ingest;
GRANT SELECT ON TABLE intake.upload TO pgkb_admin;

CREATE TABLE intake.upload_file (
    upload_id bigint NOT NULL,
    "position" integer NOT NULL,
    name text CONSTRAINT upload_file_name_not_null1 NOT NULL,
    outcome text NOT NULL,
    reason text,
    title text,
    version_id bigint,
    existing_source text,
    read_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT upload_file_outcome_is_known CHECK ((outcome = ANY (ARRAY['staged'::text, 'unchanged'::text, 'updated'::text, 'duplicate'::text, 'refused'::text])))
);

COMMENT ON COLUMN intake.upload_file."position" IS 'Its place in the archive, from 1.';

COMMENT ON COLUMN intake.upload_file.existing_source IS 'The source a duplicate is the same as.';

COMMENT ON COLUMN intake.upload_file.name IS 'Its name; in an archive with the folders above it.';

COMMENT ON COLUMN intake.upload_file.outcome IS 'staged: a new text, to be published; unchanged, updated, duplicate: it is there already; refused: it never will be.';

COMMENT ON COLUMN intake.upload_file.read_at IS 'When.';

COMMENT ON COLUMN intake.upload_file.reason IS 'Why it was refused.';

COMMENT ON COLUMN intake.upload_file.title IS 'Title of its document.';

COMMENT ON COLUMN intake.upload_file.upload_id IS 'Its upload.';

COMMENT ON COLUMN intake.upload_file.version_id IS 'Its text; NULL when that was discarded.';

COMMENT ON TABLE intake.upload_file IS 'A file of an upload that was read, and what became of it; the row is written in one step with its text.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE intake.upload_file TO pgkb_ingest;
GRANT SELECT ON TABLE intake.upload_file TO pgkb_admin;

ALTER TABLE intake.page ALTER COLUMN page_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME intake.page_page_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE intake.upload ALTER COLUMN upload_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME intake.upload_upload_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY intake.batch
    ADD CONSTRAINT batch_pk PRIMARY KEY (batch_id);

ALTER TABLE ONLY intake.page
    ADD CONSTRAINT page_once_per_position UNIQUE (batch_id, "position");

ALTER TABLE ONLY intake.page
    ADD CONSTRAINT page_pk PRIMARY KEY (page_id);

ALTER TABLE ONLY intake.upload
    ADD CONSTRAINT upload_once_per_key UNIQUE (upload_key);

ALTER TABLE ONLY intake.upload
    ADD CONSTRAINT upload_once_per_spool UNIQUE (spool_name);

ALTER TABLE ONLY intake.upload
    ADD CONSTRAINT upload_pk PRIMARY KEY (upload_id);

ALTER TABLE ONLY intake.upload_file
    ADD CONSTRAINT upload_file_pk PRIMARY KEY (upload_id, "position");

ALTER TABLE ONLY intake.page
    ADD CONSTRAINT page_batch_fk FOREIGN KEY (batch_id) REFERENCES intake.batch(batch_id) ON DELETE CASCADE;

ALTER TABLE ONLY intake.page
    ADD CONSTRAINT page_version_fk FOREIGN KEY (version_id) REFERENCES corpus.version(version_id) ON DELETE SET NULL;

ALTER TABLE ONLY intake.upload
    ADD CONSTRAINT upload_scope_fk FOREIGN KEY (scope_id) REFERENCES corpus.scope(scope_id);

ALTER TABLE ONLY intake.upload_file
    ADD CONSTRAINT upload_file_upload_fk FOREIGN KEY (upload_id) REFERENCES intake.upload(upload_id) ON DELETE CASCADE;

ALTER TABLE ONLY intake.upload_file
    ADD CONSTRAINT upload_file_version_fk FOREIGN KEY (version_id) REFERENCES corpus.version(version_id) ON DELETE SET NULL;

CREATE INDEX batch_created_idx ON intake.batch USING btree (created_at);

CREATE INDEX page_version_idx ON intake.page USING btree (version_id);

CREATE INDEX upload_created_idx ON intake.upload USING btree (created_at);

CREATE INDEX upload_file_version_idx ON intake.upload_file USING btree (version_id);

CREATE INDEX upload_scope_idx ON intake.upload USING btree (scope_id);

CREATE INDEX upload_sha256_idx ON intake.upload USING btree (sha256);

CREATE FUNCTION intake.batch_status(batch_id uuid) RETURNS TABLE(created_at timestamp with time zone, done boolean, total integer, waiting integer, stored integer, unchanged integer, duplicate integer, refused integer, failed integer, urls jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 a1508061b8cda8e7';

COMMENT ON FUNCTION intake.batch_status(batch_id uuid) IS 'How far a batch is: counts, and for every address its state and the reason of a failure.';

REVOKE ALL ON FUNCTION intake.batch_status(batch_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.batch_status(batch_id uuid) TO pgkb_app;
GRANT ALL ON FUNCTION intake.batch_status(batch_id uuid) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.batch_status(batch_id uuid) TO pgkb_admin;

CREATE FUNCTION intake.create_batch(urls text[], la_code text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, owner text DEFAULT NULL::text, principals text[] DEFAULT NULL::text[], tags text[] DEFAULT '{}'::text[], authority text DEFAULT NULL::text, document_type text DEFAULT NULL::text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ab850af5c69c6345';

COMMENT ON FUNCTION intake.create_batch(urls text[], la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text) IS 'Hand in addresses to be fetched, parsed and published by workers; the key to ask for them by.';

REVOKE ALL ON FUNCTION intake.create_batch(urls text[], la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.create_batch(urls text[], la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text) TO pgkb_app;
GRANT ALL ON FUNCTION intake.create_batch(urls text[], la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.create_batch(urls text[], la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text) TO pgkb_admin;

CREATE FUNCTION intake.display_name(given text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 c509f2af75f59bb0';

COMMENT ON FUNCTION intake.display_name(given text) IS 'A file''s name as it may be shown and kept: its last part, in one line, without invisible or control characters, at most 200 characters.';

REVOKE ALL ON FUNCTION intake.display_name(given text) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.display_name(given text) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.display_name(given text) TO pgkb_admin;

CREATE FUNCTION intake.finish_upload(upload_id bigint, task_id bigint, lease_token uuid, refusal text DEFAULT NULL::text, remark text DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ec666140a8f2499d';

COMMENT ON FUNCTION intake.finish_upload(upload_id bigint, task_id bigint, lease_token uuid, refusal text, remark text) IS 'Be done with an upload: all its files were read, or all of it is refused; false when somebody else has the task by now.';

REVOKE ALL ON FUNCTION intake.finish_upload(upload_id bigint, task_id bigint, lease_token uuid, refusal text, remark text) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.finish_upload(upload_id bigint, task_id bigint, lease_token uuid, refusal text, remark text) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.finish_upload(upload_id bigint, task_id bigint, lease_token uuid, refusal text, remark text) TO pgkb_admin;

CREATE FUNCTION intake.page_states(batch_id uuid) RETURNS TABLE(page_id bigint, place integer, url text, state text, reason text, final_url text, title text, document_id bigint, existing_source text, attempts integer, next_try timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 22596646a0e784bb';

COMMENT ON FUNCTION intake.page_states(batch_id uuid) IS 'Every page of a batch and its state now: waiting, fetching, retrying, publishing, stored, unchanged, duplicate, refused or failed.';

REVOKE ALL ON FUNCTION intake.page_states(batch_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.page_states(batch_id uuid) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.page_states(batch_id uuid) TO pgkb_admin;

CREATE FUNCTION intake.purge_batches(kept_for interval DEFAULT '24:00:00'::interval, unfinished_for interval DEFAULT '7 days'::interval) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f45383ceac3a0958';

COMMENT ON FUNCTION intake.purge_batches(kept_for interval, unfinished_for interval) IS 'Remove batches that were done 24 hours ago, and unfinished ones after a week, with the tasks that are left of them; how many went.';

REVOKE ALL ON FUNCTION intake.purge_batches(kept_for interval, unfinished_for interval) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.purge_batches(kept_for interval, unfinished_for interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.purge_batches(kept_for interval, unfinished_for interval) TO pgkb_admin;

CREATE FUNCTION intake.purge_uploads(kept_for interval DEFAULT '24:00:00'::interval, unfinished_for interval DEFAULT '7 days'::interval) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2ddab90f0f3cd6da';

COMMENT ON FUNCTION intake.purge_uploads(kept_for interval, unfinished_for interval) IS 'Remove uploads that were done 24 hours ago, and unfinished ones after a week, with the tasks that are left of them; how many went.';

REVOKE ALL ON FUNCTION intake.purge_uploads(kept_for interval, unfinished_for interval) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.purge_uploads(kept_for interval, unfinished_for interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.purge_uploads(kept_for interval, unfinished_for interval) TO pgkb_admin;

CREATE FUNCTION intake.receive_upload(spool_name text, file_name text, sha256 bytea, byte_count bigint, kind text DEFAULT 'file'::text, la_code text DEFAULT NULL::text, local_authority text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, title text DEFAULT NULL::text, tags text[] DEFAULT '{}'::text[], authority text DEFAULT NULL::text, document_type text DEFAULT NULL::text, effective_date date DEFAULT NULL::date) RETURNS TABLE(upload_key uuid, joined boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 96859d3e3fa006af';

COMMENT ON FUNCTION intake.receive_upload(spool_name text, file_name text, sha256 bytea, byte_count bigint, kind text, la_code text, local_authority text, school_urn text, title text, tags text[], authority text, document_type text, effective_date date) IS 'Take in a file whose bytes lie in the spool: what is said of it is checked, a worker reads it; the key to ask for it by.';

REVOKE ALL ON FUNCTION intake.receive_upload(spool_name text, file_name text, sha256 bytea, byte_count bigint, kind text, la_code text, local_authority text, school_urn text, title text, tags text[], authority text, document_type text, effective_date date) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.receive_upload(spool_name text, file_name text, sha256 bytea, byte_count bigint, kind text, la_code text, local_authority text, school_urn text, title text, tags text[], authority text, document_type text, effective_date date) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.receive_upload(spool_name text, file_name text, sha256 bytea, byte_count bigint, kind text, la_code text, local_authority text, school_urn text, title text, tags text[], authority text, document_type text, effective_date date) TO pgkb_admin;

CREATE FUNCTION intake.refuse_page(page_id bigint, task_id bigint, lease_token uuid, reason text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 518a3148ab0ba00b';

COMMENT ON FUNCTION intake.refuse_page(page_id bigint, task_id bigint, lease_token uuid, reason text) IS 'Say why a page will never be stored and be done with its task; false when somebody else has the task by now.';

REVOKE ALL ON FUNCTION intake.refuse_page(page_id bigint, task_id bigint, lease_token uuid, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.refuse_page(page_id bigint, task_id bigint, lease_token uuid, reason text) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.refuse_page(page_id bigint, task_id bigint, lease_token uuid, reason text) TO pgkb_admin;

CREATE FUNCTION intake.refuse_upload_file(upload_id bigint, task_id bigint, lease_token uuid, place integer, name text, reason text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 6ae3dd3d60e7d6d1';

COMMENT ON FUNCTION intake.refuse_upload_file(upload_id bigint, task_id bigint, lease_token uuid, place integer, name text, reason text) IS 'Say why a file of an upload will never be stored; false when somebody else has the task by now.';

REVOKE ALL ON FUNCTION intake.refuse_upload_file(upload_id bigint, task_id bigint, lease_token uuid, place integer, name text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.refuse_upload_file(upload_id bigint, task_id bigint, lease_token uuid, place integer, name text, reason text) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.refuse_upload_file(upload_id bigint, task_id bigint, lease_token uuid, place integer, name text, reason text) TO pgkb_admin;

CREATE FUNCTION intake.remove_owned(owner text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 5ecedb6a90fd8a1d';

COMMENT ON FUNCTION intake.remove_owned(owner text) IS 'Remove the batches of addresses whose documents are private to an owner, with their tasks; returns how many.';

REVOKE ALL ON FUNCTION intake.remove_owned(owner text) FROM PUBLIC;

CREATE FUNCTION intake.settle_place(la_code text, local_authority text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 03874e8b328df9cb';

COMMENT ON FUNCTION intake.settle_place(la_code text, local_authority text) IS 'The authority that a code and a name mean together; NULL when neither is given.';

REVOKE ALL ON FUNCTION intake.settle_place(la_code text, local_authority text) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.settle_place(la_code text, local_authority text) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.settle_place(la_code text, local_authority text) TO pgkb_admin;

CREATE FUNCTION intake.stage_page(page_id bigint, task_id bigint, lease_token uuid, final_url text, title text, body text, file_type text, metadata jsonb) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 680f853acc0dea0a';

COMMENT ON FUNCTION intake.stage_page(page_id bigint, task_id bigint, lease_token uuid, final_url text, title text, body text, file_type text, metadata jsonb) IS 'Store the text of a fetched page and be done with its task, in one step; the outcome, or NULL when somebody else has the task by now.';

REVOKE ALL ON FUNCTION intake.stage_page(page_id bigint, task_id bigint, lease_token uuid, final_url text, title text, body text, file_type text, metadata jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.stage_page(page_id bigint, task_id bigint, lease_token uuid, final_url text, title text, body text, file_type text, metadata jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.stage_page(page_id bigint, task_id bigint, lease_token uuid, final_url text, title text, body text, file_type text, metadata jsonb) TO pgkb_admin;

CREATE FUNCTION intake.stage_upload_file(upload_id bigint, task_id bigint, lease_token uuid, place integer, name text, title text, body text, file_type text, metadata jsonb, folder_tags text[] DEFAULT '{}'::text[]) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 cd8a8ef9ce7fc9c9';

COMMENT ON FUNCTION intake.stage_upload_file(upload_id bigint, task_id bigint, lease_token uuid, place integer, name text, title text, body text, file_type text, metadata jsonb, folder_tags text[]) IS 'Store the text of a file of an upload, and note what became of it, in one step; the outcome, or NULL when somebody else has the task by now.';

REVOKE ALL ON FUNCTION intake.stage_upload_file(upload_id bigint, task_id bigint, lease_token uuid, place integer, name text, title text, body text, file_type text, metadata jsonb, folder_tags text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.stage_upload_file(upload_id bigint, task_id bigint, lease_token uuid, place integer, name text, title text, body text, file_type text, metadata jsonb, folder_tags text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.stage_upload_file(upload_id bigint, task_id bigint, lease_token uuid, place integer, name text, title text, body text, file_type text, metadata jsonb, folder_tags text[]) TO pgkb_admin;

CREATE FUNCTION intake.tidy_url(url text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4882b1d217a0be7f';

COMMENT ON FUNCTION intake.tidy_url(url text) IS 'An address in one spelling: lower-case scheme and host, no default port, no fragment; NULL when it is no address of the web.';

REVOKE ALL ON FUNCTION intake.tidy_url(url text) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.tidy_url(url text) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.tidy_url(url text) TO pgkb_admin;

CREATE FUNCTION intake.unwanted_spools(names text[]) RETURNS SETOF text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 623ea795798efcc5';

COMMENT ON FUNCTION intake.unwanted_spools(names text[]) IS 'Of these names of files in the spool, those that no upload needs any more: it is read, gone, or never was.';

REVOKE ALL ON FUNCTION intake.unwanted_spools(names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.unwanted_spools(names text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.unwanted_spools(names text[]) TO pgkb_admin;

CREATE FUNCTION intake.upload_states(upload_id bigint) RETURNS TABLE(place integer, name text, state text, reason text, title text, document_id bigint, existing_source text)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1a2029c9a1c36422';

COMMENT ON FUNCTION intake.upload_states(upload_id bigint) IS 'Every file of an upload that was read and its state now: publishing, stored, unchanged, updated, duplicate, refused or failed.';

REVOKE ALL ON FUNCTION intake.upload_states(upload_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.upload_states(upload_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.upload_states(upload_id bigint) TO pgkb_admin;

CREATE FUNCTION intake.upload_status(upload_key uuid) RETURNS TABLE(kind text, file_name text, byte_count bigint, created_at timestamp with time zone, state text, reason text, remark text, done boolean, files jsonb)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e41a65fe435133cf';

COMMENT ON FUNCTION intake.upload_status(upload_key uuid) IS 'How far an upload is: its state in a word, and for every file that was read its state and the reason of a refusal.';

REVOKE ALL ON FUNCTION intake.upload_status(upload_key uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION intake.upload_status(upload_key uuid) TO pgkb_ingest;
GRANT ALL ON FUNCTION intake.upload_status(upload_key uuid) TO pgkb_admin;

CREATE SCHEMA limits;

COMMENT ON SCHEMA limits IS 'How often somebody may do something.';

GRANT USAGE ON SCHEMA limits TO pgkb_app;
GRANT USAGE ON SCHEMA limits TO pgkb_admin;

CREATE UNLOGGED TABLE limits.bucket (
    rule text NOT NULL,
    subject bytea NOT NULL,
    empty_at timestamp with time zone NOT NULL,
    CONSTRAINT bucket_subject_is_sha256 CHECK ((octet_length(subject) = 32))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.02');

COMMENT ON COLUMN limits.bucket.empty_at IS 'When nothing would be left in it.';

COMMENT ON COLUMN limits.bucket.rule IS 'The limit.';

COMMENT ON COLUMN limits.bucket.subject IS 'SHA-256 of whom it counts for: no address stands here.';

COMMENT ON TABLE limits.bucket IS 'How full the measure of a subject is: each use pours in, time lets out; a full one lets nothing more in.';

CREATE TABLE limits.rule (
    rule text NOT NULL,
    setting text NOT NULL,
    per interval NOT NULL,
    meaning text NOT NULL,
    CONSTRAINT rule_takes_time CHECK ((per > '00:00:00'::interval))
);

COMMENT ON COLUMN limits.rule.meaning IS 'What is counted, and for whom.';

COMMENT ON COLUMN limits.rule.per IS 'Over this time.';

COMMENT ON COLUMN limits.rule.rule IS 'Name of the limit.';

COMMENT ON COLUMN limits.rule.setting IS 'The setting that says how many; 0 there is no limit.';

COMMENT ON TABLE limits.rule IS 'What is limited, by which setting, over which time.';

GRANT SELECT ON TABLE limits.rule TO pgkb_admin;

ALTER TABLE ONLY limits.bucket
    ADD CONSTRAINT bucket_pkey PRIMARY KEY (rule, subject);

ALTER TABLE ONLY limits.rule
    ADD CONSTRAINT rule_pkey PRIMARY KEY (rule);

ALTER TABLE ONLY limits.rule
    ADD CONSTRAINT rule_setting_fk FOREIGN KEY (setting) REFERENCES config.setting(name);

CREATE INDEX rule_setting_idx ON limits.rule USING btree (setting);

CREATE FUNCTION limits.forget(rule text, subject text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8dd750402df93068';

COMMENT ON FUNCTION limits.forget(rule text, subject text) IS 'Forget what a subject used of a limit.';

REVOKE ALL ON FUNCTION limits.forget(rule text, subject text) FROM PUBLIC;

CREATE FUNCTION limits.purge() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 dd5daaa7acd290b0';

COMMENT ON FUNCTION limits.purge() IS 'Remove the measures that have run empty; returns how many.';

REVOKE ALL ON FUNCTION limits.purge() FROM PUBLIC;

CREATE FUNCTION limits.take(rule text, subject text) RETURNS interval
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 36dd96d56a22b5db';

COMMENT ON FUNCTION limits.take(rule text, subject text) IS 'Use a limit once for a subject; returns how long to wait when it is used up, else NULL.';

REVOKE ALL ON FUNCTION limits.take(rule text, subject text) FROM PUBLIC;
GRANT ALL ON FUNCTION limits.take(rule text, subject text) TO pgkb_app;

CREATE SCHEMA place;

COMMENT ON SCHEMA place IS 'Education authorities, their successors, the districts inside them and schools.';

GRANT USAGE ON SCHEMA place TO pgkb_app;
GRANT USAGE ON SCHEMA place TO pgkb_ingest;
GRANT USAGE ON SCHEMA place TO pgkb_admin;

CREATE TYPE place.load_report AS (
	added bigint,
	changed bigint,
	unchanged bigint,
	closed bigint,
	removed bigint,
	outside bigint,
	refused bigint,
	problems jsonb
);

COMMENT ON COLUMN place.load_report.added IS 'New.';

COMMENT ON COLUMN place.load_report.changed IS 'Known, and different now.';

COMMENT ON COLUMN place.load_report.closed IS 'Schools that closed, postcodes that ended.';

COMMENT ON COLUMN place.load_report.outside IS 'Of other countries; links that are no succession.';

COMMENT ON COLUMN place.load_report.problems IS 'The first thousand refused rows: [{"line": 7, "reason": "..."}].';

COMMENT ON COLUMN place.load_report.refused IS 'Rows that cannot be used.';

COMMENT ON COLUMN place.load_report.removed IS 'Known, and gone from the register.';

COMMENT ON COLUMN place.load_report.unchanged IS 'Known as they are.';

COMMENT ON TYPE place.load_report IS 'What a load of a register did, in rows.';

CREATE TABLE place.authority (
    gss text NOT NULL,
    dfe_code text,
    name text NOT NULL,
    kind text DEFAULT ''::text NOT NULL,
    region text DEFAULT ''::text NOT NULL,
    status text DEFAULT 'live'::text NOT NULL,
    start_date date,
    end_date date,
    website text,
    CONSTRAINT authority_code_has_nine_characters CHECK ((gss ~ '^[A-Z][0-9]{8}$'::text)),
    CONSTRAINT authority_dfe_code_has_three_digits CHECK ((dfe_code ~ '^[0-9]{3}$'::text)),
    CONSTRAINT authority_status_is_known CHECK ((status = ANY (ARRAY['live'::text, 'ended'::text])))
);

COMMENT ON COLUMN place.authority.dfe_code IS 'Three-digit code of the Department for Education.';

COMMENT ON COLUMN place.authority.end_date IS 'Last day of this code, when ended.';

COMMENT ON COLUMN place.authority.gss IS 'Nine-character ONS code; changes when boundaries do.';

COMMENT ON COLUMN place.authority.kind IS 'County, unitary, metropolitan district or London borough.';

COMMENT ON COLUMN place.authority.name IS 'Name people know.';

COMMENT ON COLUMN place.authority.region IS 'Region name.';

COMMENT ON COLUMN place.authority.start_date IS 'First day of this code, when known.';

COMMENT ON COLUMN place.authority.status IS 'live or ended.';

COMMENT ON COLUMN place.authority.website IS 'Home page.';

COMMENT ON TABLE place.authority IS 'Education authorities, live and ended.';

GRANT SELECT ON TABLE place.authority TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE place.authority TO pgkb_ingest;
GRANT SELECT ON TABLE place.authority TO pgkb_admin;

CREATE TABLE place.authority_successor (
    gss text NOT NULL,
    successor_gss text NOT NULL,
    CONSTRAINT authority_successor_is_another_code CHECK ((gss <> successor_gss))
);

COMMENT ON COLUMN place.authority_successor.gss IS 'The ended code.';

COMMENT ON COLUMN place.authority_successor.successor_gss IS 'A code that took over.';

COMMENT ON TABLE place.authority_successor IS 'Which code took over from an ended one; a county that was split has several rows.';

GRANT SELECT ON TABLE place.authority_successor TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE place.authority_successor TO pgkb_ingest;
GRANT SELECT ON TABLE place.authority_successor TO pgkb_admin;

CREATE TABLE place.district (
    lad_gss text NOT NULL,
    name text NOT NULL,
    authority_gss text NOT NULL,
    CONSTRAINT district_code_has_nine_characters CHECK ((lad_gss ~ '^[A-Z][0-9]{8}$'::text))
);

COMMENT ON COLUMN place.district.authority_gss IS 'The education authority, e.g. the county.';

COMMENT ON COLUMN place.district.lad_gss IS 'Nine-character ONS code of the district.';

COMMENT ON COLUMN place.district.name IS 'Name of the district.';

COMMENT ON TABLE place.district IS 'Districts that a postcode gives, with the education authority that answers for them.';

GRANT SELECT ON TABLE place.district TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE place.district TO pgkb_ingest;
GRANT SELECT ON TABLE place.district TO pgkb_admin;

CREATE TABLE place.postcode_sector (
    sector text NOT NULL COLLATE pg_catalog."C",
    lad_gss text NOT NULL,
    units text[] NOT NULL,
    ended_units text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT postcode_sector_district_has_nine_characters CHECK ((lad_gss ~ '^[A-Z][0-9]{8}$'::text)),
    CONSTRAINT postcode_sector_is_a_sector CHECK ((sector ~ '^[A-Z]{1,2}[0-9][A-Z0-9]? [0-9]$'::text))
);

COMMENT ON COLUMN place.postcode_sector.ended_units IS 'Those of postcodes that have ended.';

COMMENT ON COLUMN place.postcode_sector.lad_gss IS 'District, or the authority where it is both: place.find_authority tells who answers for it.';

COMMENT ON COLUMN place.postcode_sector.sector IS 'A postcode less its last two letters, e.g. B1 1.';

COMMENT ON COLUMN place.postcode_sector.units IS 'The last two letters of its postcodes in use.';

COMMENT ON TABLE place.postcode_sector IS 'Every postcode and its district, packed: one row for each sector and each district it reaches into.';

GRANT SELECT ON TABLE place.postcode_sector TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE place.postcode_sector TO pgkb_ingest;
GRANT SELECT ON TABLE place.postcode_sector TO pgkb_admin;

CREATE TABLE place.school (
    urn text NOT NULL,
    name text NOT NULL,
    la_code text NOT NULL,
    phase text,
    postcode text,
    website text,
    status text DEFAULT 'open'::text NOT NULL,
    opened date,
    closed date,
    CONSTRAINT school_status_is_known CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text]))),
    CONSTRAINT school_urn_has_six_digits CHECK ((urn ~ '^[0-9]{6}$'::text))
);

COMMENT ON COLUMN place.school.closed IS 'Day it closed, when it did and that is known.';

COMMENT ON COLUMN place.school.la_code IS 'The authority that maintains or oversees the school.';

COMMENT ON COLUMN place.school.name IS 'Name people know.';

COMMENT ON COLUMN place.school.opened IS 'Day it opened or will open, when known.';

COMMENT ON COLUMN place.school.phase IS 'Phase of education, when known.';

COMMENT ON COLUMN place.school.postcode IS 'Postcode, when known.';

COMMENT ON COLUMN place.school.status IS 'open or closed.';

COMMENT ON COLUMN place.school.urn IS 'Unique reference number of six digits.';

COMMENT ON COLUMN place.school.website IS 'Home page, when known.';

COMMENT ON TABLE place.school IS 'Schools by unique reference number.';

GRANT SELECT ON TABLE place.school TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE place.school TO pgkb_ingest;
GRANT SELECT ON TABLE place.school TO pgkb_admin;

CREATE TABLE place.school_successor (
    urn text NOT NULL,
    successor_urn text NOT NULL,
    CONSTRAINT school_successor_is_another_school CHECK ((urn <> successor_urn))
);

COMMENT ON COLUMN place.school_successor.successor_urn IS 'A school that took over.';

COMMENT ON COLUMN place.school_successor.urn IS 'The closed school.';

COMMENT ON TABLE place.school_successor IS 'Which school took over from a closed one, e.g. the academy it became.';

GRANT SELECT ON TABLE place.school_successor TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE place.school_successor TO pgkb_ingest;
GRANT SELECT ON TABLE place.school_successor TO pgkb_admin;

ALTER TABLE ONLY place.authority
    ADD CONSTRAINT authority_pk PRIMARY KEY (gss);

ALTER TABLE ONLY place.authority_successor
    ADD CONSTRAINT authority_successor_pk PRIMARY KEY (gss, successor_gss);

ALTER TABLE ONLY place.district
    ADD CONSTRAINT district_pk PRIMARY KEY (lad_gss);

ALTER TABLE ONLY place.postcode_sector
    ADD CONSTRAINT postcode_sector_pk PRIMARY KEY (sector, lad_gss);

ALTER TABLE ONLY place.school
    ADD CONSTRAINT school_pk PRIMARY KEY (urn);

ALTER TABLE ONLY place.school_successor
    ADD CONSTRAINT school_successor_pk PRIMARY KEY (urn, successor_urn);

ALTER TABLE ONLY place.authority_successor
    ADD CONSTRAINT authority_successor_gss_fk FOREIGN KEY (gss) REFERENCES place.authority(gss) ON DELETE CASCADE;

ALTER TABLE ONLY place.authority_successor
    ADD CONSTRAINT authority_successor_successor_fk FOREIGN KEY (successor_gss) REFERENCES place.authority(gss) ON DELETE CASCADE;

ALTER TABLE ONLY place.district
    ADD CONSTRAINT district_authority_fk FOREIGN KEY (authority_gss) REFERENCES place.authority(gss);

ALTER TABLE ONLY place.school
    ADD CONSTRAINT school_authority_fk FOREIGN KEY (la_code) REFERENCES place.authority(gss);

ALTER TABLE ONLY place.school_successor
    ADD CONSTRAINT school_successor_successor_fk FOREIGN KEY (successor_urn) REFERENCES place.school(urn) ON DELETE CASCADE;

ALTER TABLE ONLY place.school_successor
    ADD CONSTRAINT school_successor_urn_fk FOREIGN KEY (urn) REFERENCES place.school(urn) ON DELETE CASCADE;

CREATE INDEX authority_dfe_code_idx ON place.authority USING btree (dfe_code);

CREATE INDEX authority_successor_successor_idx ON place.authority_successor USING btree (successor_gss);

CREATE INDEX district_authority_idx ON place.district USING btree (authority_gss);

CREATE INDEX school_authority_idx ON place.school USING btree (la_code);

CREATE INDEX school_successor_successor_idx ON place.school_successor USING btree (successor_urn);

CREATE VIEW place.postcode AS
 SELECT (s.sector || u.unit) AS postcode,
    s.lad_gss,
    u.ended
   FROM (place.postcode_sector s
     CROSS JOIN LATERAL ( SELECT in_use.unit,
            false AS ended
           FROM unnest(s.units) in_use(unit)
        UNION ALL
         SELECT gone.unit,
            true AS ended
           FROM unnest(s.ended_units) gone(unit)) u);

COMMENT ON COLUMN place.postcode.ended IS 'Whether it is no longer in use.';

COMMENT ON COLUMN place.postcode.lad_gss IS 'Its district.';

COMMENT ON COLUMN place.postcode.postcode IS 'The postcode.';

COMMENT ON VIEW place.postcode IS 'One row for each postcode, for people and counts; place.find_postcode looks one up.';

GRANT SELECT ON TABLE place.postcode TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE place.postcode TO pgkb_ingest;
GRANT SELECT ON TABLE place.postcode TO pgkb_admin;

CREATE FUNCTION place.authority_family(code text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b774c419693ed46c';

COMMENT ON FUNCTION place.authority_family(code text) IS 'Every code under which documents of this authority may stand: its own and those it took over from.';

REVOKE ALL ON FUNCTION place.authority_family(code text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.authority_family(code text) TO pgkb_app;
GRANT ALL ON FUNCTION place.authority_family(code text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.authority_family(code text) TO pgkb_admin;

CREATE FUNCTION place.authority_named(name text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1aa2fe9e1522c959';

COMMENT ON FUNCTION place.authority_named(name text) IS 'The live authority people call so, whatever the case and with or without the words a council adds to its name; refuse a name that means none.';

REVOKE ALL ON FUNCTION place.authority_named(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.authority_named(name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.authority_named(name text) TO pgkb_admin;

CREATE FUNCTION place.authority_of_postcode(postcode text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f604011fa2caa242';

COMMENT ON FUNCTION place.authority_of_postcode(postcode text) IS 'The education authority that answers for a postcode; refuse one that does not tell.';

REVOKE ALL ON FUNCTION place.authority_of_postcode(postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.authority_of_postcode(postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION place.authority_of_postcode(postcode text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.authority_of_postcode(postcode text) TO pgkb_admin;

CREATE FUNCTION place.check_school(urn text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4c3119d299d403bd';

COMMENT ON FUNCTION place.check_school(urn text) IS 'The authority of a school; refuse a school that is not known.';

REVOKE ALL ON FUNCTION place.check_school(urn text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.check_school(urn text) TO pgkb_app;
GRANT ALL ON FUNCTION place.check_school(urn text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.check_school(urn text) TO pgkb_admin;

CREATE FUNCTION place.find_authority(code text, postcode text DEFAULT NULL::text, OUT la_code text, OUT named text, OUT successors text[]) RETURNS record
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 cf940928d9fe84bc';

COMMENT ON FUNCTION place.find_authority(code text, postcode text, OUT la_code text, OUT named text, OUT successors text[]) IS 'Follow a GSS code (old or new), a district code or a three-digit DfE code to the live authority; a postcode decides where one was split.';

REVOKE ALL ON FUNCTION place.find_authority(code text, postcode text, OUT la_code text, OUT named text, OUT successors text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION place.find_authority(code text, postcode text, OUT la_code text, OUT named text, OUT successors text[]) TO pgkb_app;
GRANT ALL ON FUNCTION place.find_authority(code text, postcode text, OUT la_code text, OUT named text, OUT successors text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.find_authority(code text, postcode text, OUT la_code text, OUT named text, OUT successors text[]) TO pgkb_admin;

CREATE FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) RETURNS record
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 6c6fd7287d643bc1';

COMMENT ON FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) IS 'The education authority that answers for a postcode, or the reason why none can be told: malformed, unknown, several or ended.';

REVOKE ALL ON FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) TO pgkb_app;
GRANT ALL ON FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) TO pgkb_admin;

CREATE FUNCTION place.find_school(urn text, OUT school_urn text, OUT la_code text, OUT problem text) RETURNS record
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2bbc914639e460e4';

COMMENT ON FUNCTION place.find_school(urn text, OUT school_urn text, OUT la_code text, OUT problem text) IS 'A school as it is today: itself, or the one open school that followed a closed one; or the reason why it cannot be used: malformed, unknown, closed or split.';

REVOKE ALL ON FUNCTION place.find_school(urn text, OUT school_urn text, OUT la_code text, OUT problem text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.find_school(urn text, OUT school_urn text, OUT la_code text, OUT problem text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.find_school(urn text, OUT school_urn text, OUT la_code text, OUT problem text) TO pgkb_admin;

CREATE FUNCTION place.fold_postcode(postcode text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 6eeb3d5365e7bab6';

COMMENT ON FUNCTION place.fold_postcode(postcode text) IS 'One spelling of a postcode (B1 1AA), of a sector (B1 1) or of an outward code (B1); NULL for what can be none of them.';

REVOKE ALL ON FUNCTION place.fold_postcode(postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.fold_postcode(postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION place.fold_postcode(postcode text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.fold_postcode(postcode text) TO pgkb_admin;

CREATE FUNCTION place.load_authorities(rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e3609dd42ad29f1e';

COMMENT ON FUNCTION place.load_authorities(rows jsonb) IS 'Add or correct education authorities and who succeeded whom; returns how many rows were read.';

REVOKE ALL ON FUNCTION place.load_authorities(rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION place.load_authorities(rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.load_authorities(rows jsonb) TO pgkb_admin;

CREATE FUNCTION place.load_districts(rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1812e460abd7f80b';

COMMENT ON FUNCTION place.load_districts(rows jsonb) IS 'Add or correct districts and the education authority of each; returns how many rows were read.';

REVOKE ALL ON FUNCTION place.load_districts(rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION place.load_districts(rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.load_districts(rows jsonb) TO pgkb_admin;

CREATE FUNCTION place.load_schools(rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0e052de1ff5c5a90';

COMMENT ON FUNCTION place.load_schools(rows jsonb) IS 'Add or correct the schools of a pack, all or none; returns how many rows were read.';

REVOKE ALL ON FUNCTION place.load_schools(rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION place.load_schools(rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.load_schools(rows jsonb) TO pgkb_admin;

CREATE FUNCTION place.merge_postcodes(shrink boolean DEFAULT false) RETURNS place.load_report
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET work_mem TO '128MB'
    AS 'sha256 d9b375debfcc76c6';

COMMENT ON FUNCTION place.merge_postcodes(shrink boolean) IS 'Make the arrived postcodes the ones that are known: readers see the old set until the commit, then the new one; only sectors that differ are written.';

REVOKE ALL ON FUNCTION place.merge_postcodes(shrink boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION place.merge_postcodes(shrink boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.merge_postcodes(shrink boolean) TO pgkb_admin;

CREATE FUNCTION place.merge_school_links() RETURNS place.load_report
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4e819b3fa8855604';

COMMENT ON FUNCTION place.merge_school_links() IS 'Bring the arrived links between schools into place.school_successor; links that say nothing of a succession are outside.';

REVOKE ALL ON FUNCTION place.merge_school_links() FROM PUBLIC;
GRANT ALL ON FUNCTION place.merge_school_links() TO pgkb_ingest;
GRANT ALL ON FUNCTION place.merge_school_links() TO pgkb_admin;

CREATE FUNCTION place.merge_schools() RETURNS place.load_report
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 6db8baa4a0ba9465';

COMMENT ON FUNCTION place.merge_schools() IS 'Bring the arrived schools into place.school: add, correct, close, never delete; a row that cannot be a school is refused and told.';

REVOKE ALL ON FUNCTION place.merge_schools() FROM PUBLIC;
GRANT ALL ON FUNCTION place.merge_schools() TO pgkb_ingest;
GRANT ALL ON FUNCTION place.merge_schools() TO pgkb_admin;

CREATE FUNCTION place.open_registers() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 5e25fb513a4151b8';

COMMENT ON FUNCTION place.open_registers() IS 'Empty tables of this session for the rows of a register: pg_temp.arriving_school, arriving_school_link and arriving_postcode; they go with the transaction.';

REVOKE ALL ON FUNCTION place.open_registers() FROM PUBLIC;
GRANT ALL ON FUNCTION place.open_registers() TO pgkb_ingest;
GRANT ALL ON FUNCTION place.open_registers() TO pgkb_admin;

CREATE FUNCTION place.resolve_authority(code text, postcode text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1bb311419e9981ee';

COMMENT ON FUNCTION place.resolve_authority(code text, postcode text) IS 'The live education authority of a GSS code (old or new), a district code or a three-digit DfE code; refuse a code that has none.';

REVOKE ALL ON FUNCTION place.resolve_authority(code text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.resolve_authority(code text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION place.resolve_authority(code text, postcode text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.resolve_authority(code text, postcode text) TO pgkb_admin;

CREATE SCHEMA privacy;

COMMENT ON SCHEMA privacy IS 'What is held of a person: handed over, and forgotten.';

GRANT USAGE ON SCHEMA privacy TO pgkb_app;
GRANT USAGE ON SCHEMA privacy TO pgkb_ingest;
GRANT USAGE ON SCHEMA privacy TO pgkb_admin;

CREATE FUNCTION privacy.erase_person(person_id uuid, actor text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2b62c242c4791dce';

COMMENT ON FUNCTION privacy.erase_person(person_id uuid, actor text) IS 'Forget a person: account, children, sessions, conversations, private documents and cached questions go; events, decisions, uploads and runs stay without the name.';

REVOKE ALL ON FUNCTION privacy.erase_person(person_id uuid, actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION privacy.erase_person(person_id uuid, actor text) TO pgkb_app;
GRANT ALL ON FUNCTION privacy.erase_person(person_id uuid, actor text) TO pgkb_admin;

CREATE FUNCTION privacy.export_person(person_id uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 46757c4d203943f3';

COMMENT ON FUNCTION privacy.export_person(person_id uuid) IS 'Everything that is held of a person, as one JSON document; passwords and tokens are not in it.';

REVOKE ALL ON FUNCTION privacy.export_person(person_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION privacy.export_person(person_id uuid) TO pgkb_app;
GRANT ALL ON FUNCTION privacy.export_person(person_id uuid) TO pgkb_admin;

CREATE FUNCTION privacy.purge() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f44d3228b71d4514';

COMMENT ON FUNCTION privacy.purge() IS 'Remove what is over: sessions, measures of limits, cached questions of people who left; returns how many.';

REVOKE ALL ON FUNCTION privacy.purge() FROM PUBLIC;
GRANT ALL ON FUNCTION privacy.purge() TO pgkb_ingest;
GRANT ALL ON FUNCTION privacy.purge() TO pgkb_admin;

CREATE TYPE public.search_result AS (
	chunk_id bigint,
	document_id bigint,
	title text,
	source text,
	content text,
	context text,
	chunk_index integer,
	la_code text,
	school_urn text,
	tags text[],
	document_type text,
	authority text,
	version integer,
	effective_date date,
	created_at timestamp with time zone,
	scope text,
	similarity double precision,
	vector_rank integer,
	bm25_score double precision,
	bm25_rank integer,
	matched_by text,
	rrf_raw double precision,
	freshness double precision,
	authority_weight double precision,
	boost double precision,
	score double precision,
	topic_fallback_used boolean,
	no_la_broad_fallback_used boolean,
	school_boosted boolean,
	page_from integer,
	page_to integer,
	heading_path text[]
);

COMMENT ON COLUMN public.search_result.authority IS 'Kind of publisher.';

COMMENT ON COLUMN public.search_result.authority_weight IS 'Weight by kind of publisher.';

COMMENT ON COLUMN public.search_result.bm25_rank IS 'Rank in the keyword leg; NULL when it was not there.';

COMMENT ON COLUMN public.search_result.bm25_score IS 'BM25 score; NULL when no word matched.';

COMMENT ON COLUMN public.search_result.boost IS 'Product of topic and local boosts.';

COMMENT ON COLUMN public.search_result.chunk_id IS 'The chunk; a citation names it.';

COMMENT ON COLUMN public.search_result.chunk_index IS 'Place of the passage in the document, from 0.';

COMMENT ON COLUMN public.search_result.content IS 'The passage, word for word.';

COMMENT ON COLUMN public.search_result.context IS 'The passage with its neighbours, overlap removed.';

COMMENT ON COLUMN public.search_result.created_at IS 'When this version was published here.';

COMMENT ON COLUMN public.search_result.document_id IS 'Its document.';

COMMENT ON COLUMN public.search_result.document_type IS 'What it is, e.g. policy.';

COMMENT ON COLUMN public.search_result.effective_date IS 'The day it says it applies from.';

COMMENT ON COLUMN public.search_result.freshness IS 'Weight by age.';

COMMENT ON COLUMN public.search_result.heading_path IS 'The headings it begins under, the outermost first.';

COMMENT ON COLUMN public.search_result.la_code IS 'Authority of the document; NULL is national.';

COMMENT ON COLUMN public.search_result.matched_by IS 'vector, keyword or hybrid.';

COMMENT ON COLUMN public.search_result.no_la_broad_fallback_used IS 'No authority was known and national text had nothing, so all areas were searched.';

COMMENT ON COLUMN public.search_result.page_from IS 'The page the passage begins on; NULL where the document has no pages.';

COMMENT ON COLUMN public.search_result.page_to IS 'The page it ends on.';

COMMENT ON COLUMN public.search_result.rrf_raw IS 'Fused score before weights.';

COMMENT ON COLUMN public.search_result.school_boosted IS 'Brought in because it is the asked school''s own.';

COMMENT ON COLUMN public.search_result.school_urn IS 'School of the document, when it is a school''s.';

COMMENT ON COLUMN public.search_result.scope IS 'national, la, home_la, school or shared.';

COMMENT ON COLUMN public.search_result.score IS 'rrf_raw times the weights: the order of the result.';

COMMENT ON COLUMN public.search_result.similarity IS 'Cosine similarity; NULL without a query vector.';

COMMENT ON COLUMN public.search_result.source IS 'Address or file name.';

COMMENT ON COLUMN public.search_result.tags IS 'Topic slugs.';

COMMENT ON COLUMN public.search_result.title IS 'Title of the document.';

COMMENT ON COLUMN public.search_result.topic_fallback_used IS 'The tags left nothing, so they were dropped.';

COMMENT ON COLUMN public.search_result.vector_rank IS 'Rank in the vector leg; NULL when it was not there.';

COMMENT ON COLUMN public.search_result.version IS 'Version number of the document.';

COMMENT ON TYPE public.search_result IS 'One retrieved chunk, best first, with everything that decided its place.';

CREATE VIEW public.knowledge_base AS
 SELECT c.chunk_id AS id,
    (v.embedding)::public.vector AS embedding,
    t.lexemes AS search_vector,
    c.content,
    d.source,
    f.tags AS send_tags,
    s.la_code,
    s.school_urn,
    f.status AS validation_status,
    c.document_id AS parent_doc_id,
    c.chunk_index,
    r.document_type,
    r.metadata,
    r.published_at AS created_at,
    f.quality_score
   FROM (((((((corpus.chunk c
     JOIN corpus.chunk_fact f ON ((c.chunk_id = f.chunk_id)))
     JOIN corpus.version r ON ((c.version_id = r.version_id)))
     JOIN corpus.document d ON ((c.document_id = d.document_id)))
     JOIN corpus.scope s ON ((c.scope_id = s.scope_id)))
     LEFT JOIN search.text_index t ON ((c.chunk_id = t.chunk_id)))
     LEFT JOIN embedding.set e ON (e.active))
     LEFT JOIN embedding.vector v ON (((e.set_id = v.set_id) AND (c.chunk_id = v.chunk_id))));

COMMENT ON COLUMN public.knowledge_base.chunk_index IS 'Place in the document, from 0.';

COMMENT ON COLUMN public.knowledge_base.content IS 'The passage.';

COMMENT ON COLUMN public.knowledge_base.created_at IS 'When this version was published.';

COMMENT ON COLUMN public.knowledge_base.document_type IS 'What the document is.';

COMMENT ON COLUMN public.knowledge_base.embedding IS 'Vector of the active embedding set; NULL when superseded.';

COMMENT ON COLUMN public.knowledge_base.id IS 'The chunk.';

COMMENT ON COLUMN public.knowledge_base.la_code IS 'Authority; NULL is national.';

COMMENT ON COLUMN public.knowledge_base.metadata IS 'What the parser found.';

COMMENT ON COLUMN public.knowledge_base.parent_doc_id IS 'The document.';

COMMENT ON COLUMN public.knowledge_base.quality_score IS 'Quality of the passage, 0 to 100.';

COMMENT ON COLUMN public.knowledge_base.school_urn IS 'School, when it is a school''s.';

COMMENT ON COLUMN public.knowledge_base.search_vector IS 'Lexemes; NULL when superseded.';

COMMENT ON COLUMN public.knowledge_base.send_tags IS 'Topic slugs.';

COMMENT ON COLUMN public.knowledge_base.source IS 'Address or file name.';

COMMENT ON COLUMN public.knowledge_base.validation_status IS 'pending, approved, rejected, flagged or superseded.';

COMMENT ON VIEW public.knowledge_base IS 'Every published chunk in the flat shape that people and tools of such systems expect. For reading; the search does not use it.';

GRANT SELECT ON TABLE public.knowledge_base TO pgkb_admin;

CREATE FUNCTION public.explain_search(query_vec public.vector, tsquery tsquery, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, statuses text[] DEFAULT NULL::text[], topics text[] DEFAULT NULL::text[], candidates integer DEFAULT NULL::integer, rrf_k double precision DEFAULT NULL::double precision, vector_weight double precision DEFAULT NULL::double precision, keyword_weight double precision DEFAULT NULL::double precision, embedding_set text DEFAULT NULL::text) RETURNS TABLE(stage_no integer, stage text, chunk_id bigint, title text, scope text, rank integer, value double precision, kept boolean, reason text, detail jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 22aa2ef199fdaa3c';

COMMENT ON FUNCTION public.explain_search(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) IS 'Explain a search: the rows of search_kb''s every step, in order, each with the reason a chunk won or lost in words and numbers.';

REVOKE ALL ON FUNCTION public.explain_search(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.explain_search(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.explain_search(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_app;
GRANT ALL ON FUNCTION public.explain_search(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_admin;

CREATE FUNCTION public.explain_text(question text, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, viewer text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS TABLE(stage_no integer, stage text, chunk_id bigint, title text, scope text, rank integer, value double precision, kept boolean, reason text, detail jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b30dfd2a6f7e3b85';

COMMENT ON FUNCTION public.explain_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) IS 'Explain a search from the words of a question: explain_search for search_text.';

REVOKE ALL ON FUNCTION public.explain_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.explain_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.explain_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION public.explain_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_admin;

CREATE FUNCTION public.read_document(document_id bigint, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, principals text[] DEFAULT NULL::text[], everywhere boolean DEFAULT false, after_index integer DEFAULT '-1'::integer, page_size integer DEFAULT 100) RETURNS TABLE(version integer, title text, source text, file_type text, document_type text, authority text, scope text, la_code text, school_urn text, tags text[], effective_date date, in_force_from date, published_at timestamp with time zone, passage_count bigint, passages jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 168070b87a3a4db6';

COMMENT ON FUNCTION public.read_document(document_id bigint, la text, home_la text, urn text, principals text[], everywhere boolean, after_index integer, page_size integer) IS 'A document as it stands now: its facts and its passages in their order; no row for one the caller may not see.';

REVOKE ALL ON FUNCTION public.read_document(document_id bigint, la text, home_la text, urn text, principals text[], everywhere boolean, after_index integer, page_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.read_document(document_id bigint, la text, home_la text, urn text, principals text[], everywhere boolean, after_index integer, page_size integer) TO pgkb_reader;
GRANT ALL ON FUNCTION public.read_document(document_id bigint, la text, home_la text, urn text, principals text[], everywhere boolean, after_index integer, page_size integer) TO pgkb_app;
GRANT ALL ON FUNCTION public.read_document(document_id bigint, la text, home_la text, urn text, principals text[], everywhere boolean, after_index integer, page_size integer) TO pgkb_admin;

CREATE FUNCTION public.resolve_citation(chunk_id bigint, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, principals text[] DEFAULT NULL::text[], everywhere boolean DEFAULT false) RETURNS TABLE(document_id bigint, version integer, title text, source text, content text, chunk_index integer, document_type text, authority text, scope text, effective_date date, in_force_from date, in_force_to date, is_current boolean, superseded_by_document bigint, superseded_by_version integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 7e3c14cf7c89a46d';

COMMENT ON FUNCTION public.resolve_citation(chunk_id bigint, la text, home_la text, urn text, principals text[], everywhere boolean) IS 'The passage a citation names, word for word as it was cited, with its document, version and the days it was in force; no row for one the caller may not see.';

REVOKE ALL ON FUNCTION public.resolve_citation(chunk_id bigint, la text, home_la text, urn text, principals text[], everywhere boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.resolve_citation(chunk_id bigint, la text, home_la text, urn text, principals text[], everywhere boolean) TO pgkb_reader;
GRANT ALL ON FUNCTION public.resolve_citation(chunk_id bigint, la text, home_la text, urn text, principals text[], everywhere boolean) TO pgkb_app;
GRANT ALL ON FUNCTION public.resolve_citation(chunk_id bigint, la text, home_la text, urn text, principals text[], everywhere boolean) TO pgkb_admin;

CREATE FUNCTION public.resolve_la(la text DEFAULT NULL::text, child_urn text DEFAULT NULL::text, child_postcode text DEFAULT NULL::text, user_urn text DEFAULT NULL::text, first_child_urn text DEFAULT NULL::text, first_child_postcode text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS TABLE(la_code text, local_authority text, school_urn text, home_la_code text, home_la_name text, source text, notes text[])
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9da673e420638878';

COMMENT ON FUNCTION public.resolve_la(la text, child_urn text, child_postcode text, user_urn text, first_child_urn text, first_child_postcode text, postcode text) IS 'Whose rules hold for somebody: the school of the conversation''s child, the user''s own school, the first child''s, a postcode, in this order; or a chosen authority.';

REVOKE ALL ON FUNCTION public.resolve_la(la text, child_urn text, child_postcode text, user_urn text, first_child_urn text, first_child_postcode text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.resolve_la(la text, child_urn text, child_postcode text, user_urn text, first_child_urn text, first_child_postcode text, postcode text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.resolve_la(la text, child_urn text, child_postcode text, user_urn text, first_child_urn text, first_child_postcode text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION public.resolve_la(la text, child_urn text, child_postcode text, user_urn text, first_child_urn text, first_child_postcode text, postcode text) TO pgkb_admin;

CREATE FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, statuses text[] DEFAULT NULL::text[], topics text[] DEFAULT NULL::text[], candidates integer DEFAULT NULL::integer, rrf_k double precision DEFAULT NULL::double precision, vector_weight double precision DEFAULT NULL::double precision, keyword_weight double precision DEFAULT NULL::double precision, embedding_set text DEFAULT NULL::text) RETURNS SETOF public.search_result
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 aeca8ef8f85dcf14';

COMMENT ON FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) IS 'Retrieve: vector leg and BM25 leg within what the caller may see, fused, weighed, cut at the floor, assembled; best first, no row when nothing is relevant.';

REVOKE ALL ON FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_app;
GRANT ALL ON FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_admin;

CREATE FUNCTION public.search_text(question text, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, viewer text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS SETOF public.search_result
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1e1af5900b00d05b';

COMMENT ON FUNCTION public.search_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) IS 'Search from the words of a question: topics, synonyms, query vector from the cache or the endpoint, then search_kb.';

REVOKE ALL ON FUNCTION public.search_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.search_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION public.search_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_admin;

CREATE FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, statuses text[] DEFAULT NULL::text[], topics text[] DEFAULT NULL::text[], candidates integer DEFAULT NULL::integer, rrf_k double precision DEFAULT NULL::double precision, vector_weight double precision DEFAULT NULL::double precision, keyword_weight double precision DEFAULT NULL::double precision, embedding_set text DEFAULT NULL::text) RETURNS TABLE(verdict text, reason text, place integer, facts jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 227fe93c2044ed66';

COMMENT ON FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) IS 'Why a chunk is not in the answer of a search, or at which place it is: exactly one row with one verdict, the reason in words, and the facts.';

REVOKE ALL ON FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_app;
GRANT ALL ON FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_admin;

CREATE FUNCTION public.why_not_text(chunk_id bigint, question text, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, viewer text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS TABLE(verdict text, reason text, place integer, facts jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 ef7625a8f8632d4c';

COMMENT ON FUNCTION public.why_not_text(chunk_id bigint, question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) IS 'Why a chunk is not in the answer to a question in words: one row, as why_not gives it.';

REVOKE ALL ON FUNCTION public.why_not_text(chunk_id bigint, question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.why_not_text(chunk_id bigint, question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.why_not_text(chunk_id bigint, question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION public.why_not_text(chunk_id bigint, question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_admin;

CREATE SCHEMA queue;

COMMENT ON SCHEMA queue IS 'Work that must survive the death of whoever does it.';

GRANT USAGE ON SCHEMA queue TO pgkb_ingest;
GRANT USAGE ON SCHEMA queue TO pgkb_admin;

CREATE TABLE queue.provider_rate (
    provider text NOT NULL,
    calls_per_minute integer NOT NULL,
    next_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT provider_rate_is_positive CHECK ((calls_per_minute > 0))
);

COMMENT ON COLUMN queue.provider_rate.calls_per_minute IS 'Calls a minute, evenly spread.';

COMMENT ON COLUMN queue.provider_rate.next_at IS 'Nobody asks before this instant.';

COMMENT ON COLUMN queue.provider_rate.provider IS 'The provider, as embedding.set names it.';

COMMENT ON TABLE queue.provider_rate IS 'What all workers together may ask of a provider; one without a row is asked without limit.';

GRANT SELECT,UPDATE ON TABLE queue.provider_rate TO pgkb_ingest;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE queue.provider_rate TO pgkb_admin;

CREATE TABLE queue.task (
    task_id bigint NOT NULL,
    kind text NOT NULL,
    subject_id bigint NOT NULL,
    ready_at timestamp with time zone DEFAULT now() NOT NULL,
    lease_token uuid,
    claimed_by text,
    attempts integer DEFAULT 0 NOT NULL,
    dead boolean DEFAULT false NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    priority smallint DEFAULT 0 NOT NULL,
    holder_pid integer,
    claimed_at timestamp with time zone,
    cancelled boolean DEFAULT false NOT NULL,
    CONSTRAINT task_attempts_not_negative CHECK ((attempts >= 0)),
    CONSTRAINT task_cancelled_is_dead CHECK ((dead OR (NOT cancelled)))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02');

COMMENT ON COLUMN queue.task.attempts IS 'How often it was claimed.';

COMMENT ON COLUMN queue.task.cancelled IS 'Somebody decided that it is not to be done.';

COMMENT ON COLUMN queue.task.claimed_at IS 'When the current claim began.';

COMMENT ON COLUMN queue.task.claimed_by IS 'Who works on it.';

COMMENT ON COLUMN queue.task.created_at IS 'When it was enqueued.';

COMMENT ON COLUMN queue.task.dead IS 'Given up after too many attempts; a person decides.';

COMMENT ON COLUMN queue.task.holder_pid IS 'Server process of whoever claimed it: when that is gone the claim is void.';

COMMENT ON COLUMN queue.task.kind IS 'What to do, e.g. publish_version.';

COMMENT ON COLUMN queue.task.last_error IS 'Why the last attempt failed.';

COMMENT ON COLUMN queue.task.lease_token IS 'Proof of the current claim: whoever holds an older one can no longer finish, renew or fail the task.';

COMMENT ON COLUMN queue.task.priority IS 'Higher goes first; 0 is usual.';

COMMENT ON COLUMN queue.task.ready_at IS 'Not before this instant; a claim moves it one lease ahead.';

COMMENT ON COLUMN queue.task.subject_id IS 'What to do it to.';

COMMENT ON COLUMN queue.task.task_id IS 'Key.';

COMMENT ON TABLE queue.task IS 'Work waiting for a worker; the row leaves when the work is done.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE queue.task TO pgkb_ingest;
GRANT SELECT,UPDATE ON TABLE queue.task TO pgkb_admin;

ALTER TABLE queue.task ALTER COLUMN task_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME queue.task_task_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY queue.provider_rate
    ADD CONSTRAINT provider_rate_pk PRIMARY KEY (provider);

ALTER TABLE ONLY queue.task
    ADD CONSTRAINT task_one_per_subject UNIQUE (kind, subject_id);

ALTER TABLE ONLY queue.task
    ADD CONSTRAINT task_pk PRIMARY KEY (task_id);

CREATE INDEX task_held_idx ON queue.task USING btree (holder_pid) WHERE (holder_pid IS NOT NULL);

CREATE INDEX task_ready_idx ON queue.task USING btree (priority DESC, ready_at, task_id) WHERE (NOT dead);

CREATE VIEW queue.job AS
 SELECT t.task_id,
    t.kind,
    t.subject_id,
        CASE
            WHEN t.cancelled THEN 'cancelled'::text
            WHEN t.dead THEN 'dead'::text
            WHEN ((t.lease_token IS NOT NULL) AND (t.ready_at > clock_timestamp())) THEN 'running'::text
            WHEN (t.ready_at > clock_timestamp()) THEN 'waiting'::text
            ELSE 'ready'::text
        END AS state,
    t.priority,
    t.attempts,
    t.claimed_by,
    t.claimed_at,
    t.ready_at,
    t.created_at,
    t.last_error,
    d.document_id,
    d.source,
    v.title
   FROM ((queue.task t
     LEFT JOIN corpus.version v ON (((t.kind = 'publish_version'::text) AND (t.subject_id = v.version_id))))
     LEFT JOIN corpus.document d ON ((v.document_id = d.document_id)));

COMMENT ON COLUMN queue.job.attempts IS 'How often it was claimed.';

COMMENT ON COLUMN queue.job.claimed_at IS 'Since when.';

COMMENT ON COLUMN queue.job.claimed_by IS 'Who works on it.';

COMMENT ON COLUMN queue.job.created_at IS 'When it was enqueued.';

COMMENT ON COLUMN queue.job.document_id IS 'The document it is of, if any.';

COMMENT ON COLUMN queue.job.kind IS 'What to do.';

COMMENT ON COLUMN queue.job.last_error IS 'Why the last attempt failed.';

COMMENT ON COLUMN queue.job.priority IS 'Higher goes first.';

COMMENT ON COLUMN queue.job.ready_at IS 'Not before this instant; of a running one the end of its lease.';

COMMENT ON COLUMN queue.job.source IS 'Address or file name of that document.';

COMMENT ON COLUMN queue.job.state IS 'ready (for any worker), waiting (until ready_at), running (leased until ready_at), dead (given up) or cancelled.';

COMMENT ON COLUMN queue.job.subject_id IS 'What to do it to.';

COMMENT ON COLUMN queue.job.task_id IS 'The task.';

COMMENT ON COLUMN queue.job.title IS 'Title of that document.';

COMMENT ON VIEW queue.job IS 'Every task as people ask about it: its state in a word, who has it, why it failed, which document it is of.';

GRANT SELECT ON TABLE queue.job TO pgkb_ingest;
GRANT SELECT ON TABLE queue.job TO pgkb_admin;

CREATE VIEW queue.summary AS
 SELECT kind,
    state,
    count(*) AS tasks,
    min(created_at) AS oldest,
    max(attempts) AS most_attempts
   FROM queue.job j
  GROUP BY kind, state;

COMMENT ON COLUMN queue.summary.kind IS 'What is to be done.';

COMMENT ON COLUMN queue.summary.most_attempts IS 'The most attempts one of them took.';

COMMENT ON COLUMN queue.summary.oldest IS 'When the oldest was enqueued.';

COMMENT ON COLUMN queue.summary.state IS 'As in queue.job.';

COMMENT ON COLUMN queue.summary.tasks IS 'How many.';

COMMENT ON VIEW queue.summary IS 'How many tasks of each kind are in each state, and since when.';

GRANT SELECT ON TABLE queue.summary TO pgkb_ingest;
GRANT SELECT ON TABLE queue.summary TO pgkb_admin;

CREATE FUNCTION queue.cancel_task(task_id bigint, actor text DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9d02d3e3397f0d58';

COMMENT ON FUNCTION queue.cancel_task(task_id bigint, actor text) IS 'Call work off: nobody starts it, and who is at it can no longer finish it; false when there is no such task.';

REVOKE ALL ON FUNCTION queue.cancel_task(task_id bigint, actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.cancel_task(task_id bigint, actor text) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.cancel_task(task_id bigint, actor text) TO pgkb_admin;

CREATE FUNCTION queue.claim_tasks(worker text, batch_size integer DEFAULT 1, lease interval DEFAULT '00:05:00'::interval, kinds text[] DEFAULT NULL::text[]) RETURNS SETOF queue.task
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 6e30ac1b0ec281e4';

COMMENT ON FUNCTION queue.claim_tasks(worker text, batch_size integer, lease interval, kinds text[]) IS 'Hand a worker the ready tasks of highest priority, oldest first, and hide them from others while it lives, for one lease at most.';

REVOKE ALL ON FUNCTION queue.claim_tasks(worker text, batch_size integer, lease interval, kinds text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.claim_tasks(worker text, batch_size integer, lease interval, kinds text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.claim_tasks(worker text, batch_size integer, lease interval, kinds text[]) TO pgkb_admin;

CREATE FUNCTION queue.enqueue(kind text, subject_id bigint, holder text DEFAULT NULL::text, lease interval DEFAULT '00:05:00'::interval, priority integer DEFAULT 0) RETURNS queue.task
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 425eaa1ad633bd38';

COMMENT ON FUNCTION queue.enqueue(kind text, subject_id bigint, holder text, lease interval, priority integer) IS 'Put work in the queue, once per subject; with a holder it is already leased to that holder and its connection.';

REVOKE ALL ON FUNCTION queue.enqueue(kind text, subject_id bigint, holder text, lease interval, priority integer) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.enqueue(kind text, subject_id bigint, holder text, lease interval, priority integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.enqueue(kind text, subject_id bigint, holder text, lease interval, priority integer) TO pgkb_admin;

CREATE FUNCTION queue.fail_task(task_id bigint, lease_token uuid, reason text, final boolean DEFAULT false, wait interval DEFAULT NULL::interval) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 57d78bd450c53516';

COMMENT ON FUNCTION queue.fail_task(task_id bigint, lease_token uuid, reason text, final boolean, wait interval) IS 'Give work back after a failure: again later, each time later, and dead after eight attempts or at once when final.';

REVOKE ALL ON FUNCTION queue.fail_task(task_id bigint, lease_token uuid, reason text, final boolean, wait interval) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.fail_task(task_id bigint, lease_token uuid, reason text, final boolean, wait interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.fail_task(task_id bigint, lease_token uuid, reason text, final boolean, wait interval) TO pgkb_admin;

CREATE FUNCTION queue.finish_task(task_id bigint, lease_token uuid) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0ffac7b7580b929a';

COMMENT ON FUNCTION queue.finish_task(task_id bigint, lease_token uuid) IS 'Remove work that is done; false when somebody else holds the task by now.';

REVOKE ALL ON FUNCTION queue.finish_task(task_id bigint, lease_token uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.finish_task(task_id bigint, lease_token uuid) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.finish_task(task_id bigint, lease_token uuid) TO pgkb_admin;

CREATE FUNCTION queue.heartbeat(task_id bigint, lease_token uuid, lease interval DEFAULT '00:05:00'::interval) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 764347ce8701c297';

COMMENT ON FUNCTION queue.heartbeat(task_id bigint, lease_token uuid, lease interval) IS 'Renew a lease; false when somebody else holds the task by now.';

REVOKE ALL ON FUNCTION queue.heartbeat(task_id bigint, lease_token uuid, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.heartbeat(task_id bigint, lease_token uuid, lease interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.heartbeat(task_id bigint, lease_token uuid, lease interval) TO pgkb_admin;

CREATE FUNCTION queue.is_lasting(sqlstate text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 c602fbd6c51802e3';

COMMENT ON FUNCTION queue.is_lasting(sqlstate text) IS 'Whether an error meets the same work again however often it is tried: data that does not fit, a broken rule of a table.';

REVOKE ALL ON FUNCTION queue.is_lasting(sqlstate text) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.is_lasting(sqlstate text) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.is_lasting(sqlstate text) TO pgkb_admin;

CREATE FUNCTION queue.list_jobs(states text[] DEFAULT NULL::text[], kind text DEFAULT NULL::text, before bigint DEFAULT NULL::bigint, page_size integer DEFAULT 50) RETURNS SETOF queue.job
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 be9ec4b60299c498';

COMMENT ON FUNCTION queue.list_jobs(states text[], kind text, before bigint, page_size integer) IS 'The tasks of these states, of all when none is named, newest first, a page at a time; the next page begins before the last one''s id.';

REVOKE ALL ON FUNCTION queue.list_jobs(states text[], kind text, before bigint, page_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.list_jobs(states text[], kind text, before bigint, page_size integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.list_jobs(states text[], kind text, before bigint, page_size integer) TO pgkb_admin;

CREATE FUNCTION queue.next_ready(kinds text[] DEFAULT NULL::text[]) RETURNS interval
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 450a3f0885613524';

COMMENT ON FUNCTION queue.next_ready(kinds text[]) IS 'How long until a task of these kinds is ready; NULL when none waits.';

REVOKE ALL ON FUNCTION queue.next_ready(kinds text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.next_ready(kinds text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.next_ready(kinds text[]) TO pgkb_admin;

CREATE FUNCTION queue.reap_tasks() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 abae3fa58ac82a53';

COMMENT ON FUNCTION queue.reap_tasks() IS 'Free the tasks whose holder is gone, and give up those that killed eight holders; returns how many were freed.';

REVOKE ALL ON FUNCTION queue.reap_tasks() FROM PUBLIC;
GRANT ALL ON FUNCTION queue.reap_tasks() TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.reap_tasks() TO pgkb_admin;

CREATE FUNCTION queue.release_task(task_id bigint, lease_token uuid, reason text DEFAULT NULL::text, wait interval DEFAULT '00:00:00'::interval) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 cf79a5be892a1692';

COMMENT ON FUNCTION queue.release_task(task_id bigint, lease_token uuid, reason text, wait interval) IS 'Give work back unfinished and blameless, when its worker is stopped or the service it needs is down: the attempt is not counted.';

REVOKE ALL ON FUNCTION queue.release_task(task_id bigint, lease_token uuid, reason text, wait interval) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.release_task(task_id bigint, lease_token uuid, reason text, wait interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.release_task(task_id bigint, lease_token uuid, reason text, wait interval) TO pgkb_admin;

CREATE FUNCTION queue.retry_task(task_id bigint, actor text DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2b5f9e4f9c30a728';

COMMENT ON FUNCTION queue.retry_task(task_id bigint, actor text) IS 'Bring back work that was given up, cancelled or waits for its next attempt: ready at once, with all its attempts; false when there is none such.';

REVOKE ALL ON FUNCTION queue.retry_task(task_id bigint, actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.retry_task(task_id bigint, actor text) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.retry_task(task_id bigint, actor text) TO pgkb_admin;

CREATE FUNCTION queue.set_rate(provider text, calls_per_minute integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 723b7ba74ea8d430';

COMMENT ON FUNCTION queue.set_rate(provider text, calls_per_minute integer) IS 'Say how many calls a minute all workers together may make to a provider; NULL lifts the limit.';

REVOKE ALL ON FUNCTION queue.set_rate(provider text, calls_per_minute integer) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.set_rate(provider text, calls_per_minute integer) TO pgkb_admin;

CREATE FUNCTION queue.take_turn(provider text) RETURNS interval
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8e424b0da8690e0b';

COMMENT ON FUNCTION queue.take_turn(provider text) IS 'Reserve the next call to a provider within what all workers together may ask of it; returns how long to wait before it.';

REVOKE ALL ON FUNCTION queue.take_turn(provider text) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.take_turn(provider text) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.take_turn(provider text) TO pgkb_admin;

CREATE FUNCTION queue.task__wake_workers() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 62b0eab618279b98';

COMMENT ON FUNCTION queue.task__wake_workers() IS 'Work that anybody may take wakes the workers that listen; they also poll, so a lost notice costs seconds.';

REVOKE ALL ON FUNCTION queue.task__wake_workers() FROM PUBLIC;
GRANT ALL ON FUNCTION queue.task__wake_workers() TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.task__wake_workers() TO pgkb_admin;

CREATE TRIGGER task__wake_workers AFTER INSERT OR UPDATE OF claimed_by ON queue.task FOR EACH ROW WHEN (((new.claimed_by IS NULL) AND (NOT new.dead))) EXECUTE FUNCTION queue.task__wake_workers();

CREATE SCHEMA search;

COMMENT ON SCHEMA search IS 'The legs, fusion, floors and assembly behind search_kb.';

GRANT USAGE ON SCHEMA search TO pgkb_app;
GRANT USAGE ON SCHEMA search TO pgkb_ingest;
GRANT USAGE ON SCHEMA search TO pgkb_admin;

CREATE TYPE search.attempt AS (
	attempt integer,
	tags text[],
	everywhere boolean,
	candidates integer,
	vector_hits integer,
	keyword_hits integer,
	fused integer,
	kept integer,
	chosen integer
);

COMMENT ON COLUMN search.attempt.attempt IS 'Counts from 1.';

COMMENT ON COLUMN search.attempt.candidates IS 'How many chunks each leg was asked for.';

COMMENT ON COLUMN search.attempt.chosen IS 'Of these in the answer.';

COMMENT ON COLUMN search.attempt.everywhere IS 'Whether all areas were searched.';

COMMENT ON COLUMN search.attempt.fused IS 'Candidates after fusion.';

COMMENT ON COLUMN search.attempt.kept IS 'Of these over the floor.';

COMMENT ON COLUMN search.attempt.keyword_hits IS 'Chunks of the keyword leg.';

COMMENT ON COLUMN search.attempt.tags IS 'Tags that narrowed it; NULL is none.';

COMMENT ON COLUMN search.attempt.vector_hits IS 'Chunks of the vector leg.';

COMMENT ON TYPE search.attempt IS 'One try: as asked, without tags, in all areas, or deeper where the answer had room.';

CREATE TYPE search.block_scores AS (
	scope_id bigint,
	block integer,
	scores public.vector
);

COMMENT ON COLUMN search.block_scores.block IS 'Its block, search.listed_block.';

COMMENT ON COLUMN search.block_scores.scope_id IS 'The scope.';

COMMENT ON COLUMN search.block_scores.scores IS 'One score a chunk; 0 where it holds none of the words.';

COMMENT ON TYPE search.block_scores IS 'BM25 scores of all chunks of a block of a listed scope, by their numbers.';

CREATE TYPE search.bm25 AS (
	k1 double precision,
	b double precision,
	chunks double precision,
	mean_length double precision,
	expansion_weight double precision,
	rare_chunks double precision
);

COMMENT ON COLUMN search.bm25.b IS 'How much the length of a text counts, 0 to 1.';

COMMENT ON COLUMN search.bm25.chunks IS 'Chunks of the whole corpus, at least 1.';

COMMENT ON COLUMN search.bm25.expansion_weight IS 'Weight of a word a synonym brought, against one the person typed.';

COMMENT ON COLUMN search.bm25.k1 IS 'Saturation of the term frequency.';

COMMENT ON COLUMN search.bm25.mean_length IS 'Their mean length in tokens, at least 1.';

COMMENT ON COLUMN search.bm25.rare_chunks IS 'A word that at most this many chunks hold is rare.';

COMMENT ON TYPE search.bm25 IS 'What BM25 needs to know beside a text and the words: its settings and the size of the corpus.';

CREATE TYPE search.candidate_count AS (
	candidates integer,
	vector_candidates integer,
	keyword_candidates integer,
	kept integer,
	attempts integer,
	topic_fallback_used boolean,
	no_la_broad_fallback_used boolean
);

COMMENT ON COLUMN search.candidate_count.attempts IS 'How often it searched: 1 is as asked.';

COMMENT ON COLUMN search.candidate_count.candidates IS 'Chunks that either leg found, before the floor.';

COMMENT ON COLUMN search.candidate_count.kept IS 'Candidates the floor kept, before assembly.';

COMMENT ON COLUMN search.candidate_count.keyword_candidates IS 'Of them, chunks of the keyword leg.';

COMMENT ON COLUMN search.candidate_count.no_la_broad_fallback_used IS 'The last attempt searched all areas.';

COMMENT ON COLUMN search.candidate_count.topic_fallback_used IS 'The last attempt left the tags out.';

COMMENT ON COLUMN search.candidate_count.vector_candidates IS 'Of them, chunks of the vector leg.';

COMMENT ON TYPE search.candidate_count IS 'How many candidates a search had before and after the floor, and what it tried, told also when nothing is left.';

CREATE TYPE search.finding AS (
	results public.search_result[],
	counts search.candidate_count,
	plan text,
	timings jsonb
);

COMMENT ON COLUMN search.finding.counts IS 'What search.record_search wants to know beside them.';

COMMENT ON COLUMN search.finding.plan IS 'How the vector leg read the scopes: exact, bits, index, one of these topped up, or several of them.';

COMMENT ON COLUMN search.finding.results IS 'The rows of search_kb, best first.';

COMMENT ON COLUMN search.finding.timings IS 'Milliseconds by step, over all attempts.';

COMMENT ON TYPE search.finding IS 'An answer with the counts from before the floor, and the flags also where the answer is empty.';

CREATE TYPE search.keyword_hit AS (
	chunk_id bigint,
	bm25_score double precision,
	rank integer,
	identifier_matched boolean,
	rare_words_matched boolean,
	coverage double precision
);

COMMENT ON COLUMN search.keyword_hit.bm25_score IS 'BM25 score.';

COMMENT ON COLUMN search.keyword_hit.chunk_id IS 'The chunk.';

COMMENT ON COLUMN search.keyword_hit.coverage IS 'Share of the idf that matched, of the typed words or of the synonyms, whichever is larger; 0 to 1.';

COMMENT ON COLUMN search.keyword_hit.identifier_matched IS 'Whether an identifier of the question matched.';

COMMENT ON COLUMN search.keyword_hit.rank IS 'Rank in the leg from 1; equal scores share one.';

COMMENT ON COLUMN search.keyword_hit.rare_words_matched IS 'Whether the question has rare words and every one of them matched.';

COMMENT ON TYPE search.keyword_hit IS 'A chunk the keyword leg found.';

CREATE TYPE search.query_word AS (
	lexeme text,
	expansion boolean,
	identifier boolean,
	chunks bigint,
	idf double precision
);

COMMENT ON COLUMN search.query_word.chunks IS 'Chunks that hold it.';

COMMENT ON COLUMN search.query_word.expansion IS 'Whether a synonym brought it, not the person.';

COMMENT ON COLUMN search.query_word.identifier IS 'Whether it is an identifier token.';

COMMENT ON COLUMN search.query_word.idf IS 'BM25 inverse document frequency.';

COMMENT ON COLUMN search.query_word.lexeme IS 'The lexeme.';

COMMENT ON TYPE search.query_word IS 'A word of the question as the keyword leg weighs it.';

CREATE TYPE search.ranked_hit AS (
	chunk_id bigint,
	document_id bigint,
	version_id bigint,
	scope text,
	similarity double precision,
	vector_rank integer,
	bm25_score double precision,
	bm25_rank integer,
	matched_by text,
	rrf_raw double precision,
	freshness double precision,
	authority_weight double precision,
	boost double precision,
	score double precision,
	floor_exempt boolean,
	coverage double precision,
	school_boosted boolean,
	dropped_because text,
	content_hash bytea,
	dropped_at text,
	place integer
);

COMMENT ON COLUMN search.ranked_hit.authority_weight IS 'Weight by kind of publisher.';

COMMENT ON COLUMN search.ranked_hit.bm25_rank IS 'Rank in the keyword leg; NULL when it was not there.';

COMMENT ON COLUMN search.ranked_hit.bm25_score IS 'BM25 score; NULL when no word matched.';

COMMENT ON COLUMN search.ranked_hit.boost IS 'Product of topic and local boosts.';

COMMENT ON COLUMN search.ranked_hit.chunk_id IS 'The chunk.';

COMMENT ON COLUMN search.ranked_hit.content_hash IS 'SHA-256 of the content: equal passages collapse in an answer.';

COMMENT ON COLUMN search.ranked_hit.coverage IS 'Share of the question''s idf that matched.';

COMMENT ON COLUMN search.ranked_hit.document_id IS 'Its document.';

COMMENT ON COLUMN search.ranked_hit.dropped_at IS 'NULL when kept, else floor, same_text, document_full or top_k.';

COMMENT ON COLUMN search.ranked_hit.dropped_because IS 'NULL when kept, else why not, in words.';

COMMENT ON COLUMN search.ranked_hit.floor_exempt IS 'Whether an identifier or every rare word matched.';

COMMENT ON COLUMN search.ranked_hit.freshness IS 'Weight by age.';

COMMENT ON COLUMN search.ranked_hit.matched_by IS 'vector, keyword or hybrid.';

COMMENT ON COLUMN search.ranked_hit.place IS 'Place in the answer from 1; NULL when it is not in it.';

COMMENT ON COLUMN search.ranked_hit.rrf_raw IS 'Fused score before weights.';

COMMENT ON COLUMN search.ranked_hit.school_boosted IS 'Whether it was brought in for the asked school.';

COMMENT ON COLUMN search.ranked_hit.scope IS 'national, la, home_la, school or shared.';

COMMENT ON COLUMN search.ranked_hit.score IS 'rrf_raw times the weights.';

COMMENT ON COLUMN search.ranked_hit.similarity IS 'Cosine similarity; NULL without a query vector.';

COMMENT ON COLUMN search.ranked_hit.vector_rank IS 'Rank in the vector leg; NULL when it was not there.';

COMMENT ON COLUMN search.ranked_hit.version_id IS 'Its version.';

COMMENT ON TYPE search.ranked_hit IS 'A candidate after fusion, weights, floor and choice, with the reason when it was dropped.';

CREATE TYPE search.ranking AS (
	hits search.ranked_hit[],
	plans search.scope_plan[],
	vector_hits integer,
	keyword_hits integer,
	more_would_pass boolean,
	vector_ms double precision,
	keyword_ms double precision,
	rank_ms double precision
);

COMMENT ON COLUMN search.ranking.hits IS 'Candidates, kept or with the reason, best first.';

COMMENT ON COLUMN search.ranking.keyword_hits IS 'Chunks of the keyword leg.';

COMMENT ON COLUMN search.ranking.keyword_ms IS 'Milliseconds in the keyword leg.';

COMMENT ON COLUMN search.ranking.more_would_pass IS 'A leg was cut at its limit while its last chunk still passed the floor.';

COMMENT ON COLUMN search.ranking.plans IS 'How the vector leg read each scope.';

COMMENT ON COLUMN search.ranking.rank_ms IS 'Milliseconds in fusion, weights and floor.';

COMMENT ON COLUMN search.ranking.vector_hits IS 'Chunks of the vector leg.';

COMMENT ON COLUMN search.ranking.vector_ms IS 'Milliseconds in the vector leg.';

COMMENT ON TYPE search.ranking IS 'Every candidate of one attempt, and what the legs came to.';

CREATE TYPE search.request AS (
	query public.halfvec,
	tsquery tsquery,
	set_id integer,
	la text,
	home_la text,
	urn text,
	principals text[],
	tags text[],
	topics text[],
	statuses text[],
	as_of date,
	top_k integer,
	candidates integer,
	max_chunks_per_document integer,
	rrf_k double precision,
	vector_weight double precision,
	keyword_weight double precision,
	keyword_mode text,
	retrieval_floor double precision,
	relevance_floor double precision,
	keyword_coverage double precision,
	school_floor double precision,
	school_coverage double precision,
	school_limit integer
);

COMMENT ON COLUMN search.request.as_of IS 'The day whose versions are searched; NULL is today''s.';

COMMENT ON COLUMN search.request.candidates IS 'How many chunks each leg brings at first.';

COMMENT ON COLUMN search.request.home_la IS 'Home authority, when it differs.';

COMMENT ON COLUMN search.request.keyword_coverage IS 'Share of the idf that decides without a vector.';

COMMENT ON COLUMN search.request.keyword_mode IS 'corpus or vector_first.';

COMMENT ON COLUMN search.request.keyword_weight IS 'Weight of the keyword leg.';

COMMENT ON COLUMN search.request.la IS 'Authority asked about.';

COMMENT ON COLUMN search.request.max_chunks_per_document IS 'How many chunks of one document.';

COMMENT ON COLUMN search.request.principals IS 'Who the caller is.';

COMMENT ON COLUMN search.request.query IS 'Unit-length query vector; NULL is keyword only.';

COMMENT ON COLUMN search.request.relevance_floor IS 'Cosine floor after fusion.';

COMMENT ON COLUMN search.request.retrieval_floor IS 'Cosine floor of the vector leg.';

COMMENT ON COLUMN search.request.rrf_k IS 'k of Reciprocal Rank Fusion.';

COMMENT ON COLUMN search.request.school_coverage IS 'Share of the idf for the asked school.';

COMMENT ON COLUMN search.request.school_floor IS 'Cosine floor of the asked school.';

COMMENT ON COLUMN search.request.school_limit IS 'How many chunks of the school are brought in.';

COMMENT ON COLUMN search.request.set_id IS 'The embedding set.';

COMMENT ON COLUMN search.request.statuses IS 'States that may be retrieved.';

COMMENT ON COLUMN search.request.tags IS 'Topic slugs that narrow; NULL is none.';

COMMENT ON COLUMN search.request.top_k IS 'How many chunks the answer holds.';

COMMENT ON COLUMN search.request.topics IS 'Topic slugs that raise.';

COMMENT ON COLUMN search.request.tsquery IS 'Words of the question; NULL or empty is vector only.';

COMMENT ON COLUMN search.request.urn IS 'School asked about.';

COMMENT ON COLUMN search.request.vector_weight IS 'Weight of the vector leg.';

COMMENT ON TYPE search.request IS 'What a search was asked, with nothing left out: arguments, then settings, then the embedding set''s own.';

CREATE TYPE search.retrieval AS (
	request search.request,
	scopes search.visible_scope[],
	plans search.scope_plan[],
	attempts search.attempt[],
	hits search.ranked_hit[],
	topic_fallback_used boolean,
	no_la_broad_fallback_used boolean,
	timings jsonb
);

COMMENT ON COLUMN search.retrieval.attempts IS 'Every attempt, in order.';

COMMENT ON COLUMN search.retrieval.hits IS 'Every candidate of the last attempt: those of the answer by place, then the dropped ones.';

COMMENT ON COLUMN search.retrieval.no_la_broad_fallback_used IS 'No authority was known and national text had nothing, so all areas were searched.';

COMMENT ON COLUMN search.retrieval.plans IS 'How the vector leg read each of them.';

COMMENT ON COLUMN search.retrieval.request IS 'What was asked.';

COMMENT ON COLUMN search.retrieval.scopes IS 'The scopes of the last attempt.';

COMMENT ON COLUMN search.retrieval.timings IS 'Milliseconds by step, over all attempts.';

COMMENT ON COLUMN search.retrieval.topic_fallback_used IS 'The tags left nothing, so they were dropped.';

COMMENT ON TYPE search.retrieval IS 'Everything a search looked at and decided; the answer is made of it, and so is its explanation.';

CREATE TYPE search.scope_plan AS (
	scope_id bigint,
	label text,
	chunks bigint,
	plan text,
	reason text
);

COMMENT ON COLUMN search.scope_plan.chunks IS 'Searchable chunks in it.';

COMMENT ON COLUMN search.scope_plan.label IS 'national, la, home_la, school or shared.';

COMMENT ON COLUMN search.scope_plan.plan IS 'exact, bits, index, bits or index topped up (an exact scan followed), or none.';

COMMENT ON COLUMN search.scope_plan.reason IS 'The numbers that decided.';

COMMENT ON COLUMN search.scope_plan.scope_id IS 'The scope.';

COMMENT ON TYPE search.scope_plan IS 'How the vector leg read a scope, and why so.';

CREATE TYPE search.vector_found AS (
	hits search.vector_hit[],
	plans search.scope_plan[],
	tagged bigint
);

COMMENT ON COLUMN search.vector_found.hits IS 'Most similar first.';

COMMENT ON COLUMN search.vector_found.plans IS 'One for each visible scope.';

COMMENT ON COLUMN search.vector_found.tagged IS 'Visible chunks that carry the tags, counted no further than kb.exact_limit; NULL when not counted.';

COMMENT ON TYPE search.vector_found IS 'What the vector leg found and how.';

CREATE TYPE search.vector_hit AS (
	chunk_id bigint,
	similarity double precision,
	rank integer
);

COMMENT ON COLUMN search.vector_hit.chunk_id IS 'The chunk.';

COMMENT ON COLUMN search.vector_hit.rank IS 'Rank in the leg from 1; equal similarities share one.';

COMMENT ON COLUMN search.vector_hit.similarity IS 'Cosine similarity, -1 to 1.';

COMMENT ON TYPE search.vector_hit IS 'A chunk the vector leg found.';

CREATE TYPE search.visible_scope AS (
	scope_id bigint,
	label text,
	chunks bigint
);

COMMENT ON COLUMN search.visible_scope.chunks IS 'Searchable chunks in it.';

COMMENT ON COLUMN search.visible_scope.label IS 'national, la, home_la, school or shared.';

COMMENT ON COLUMN search.visible_scope.scope_id IS 'The scope.';

COMMENT ON TYPE search.visible_scope IS 'A scope a caller may see: its label in the result (national, la, home_la, school, shared) and its size.';

CREATE TABLE search.hash_key (
    only_one boolean DEFAULT true NOT NULL,
    key bytea NOT NULL,
    CONSTRAINT hash_key_is_long CHECK ((octet_length(key) = 32)),
    CONSTRAINT hash_key_is_the_only_one CHECK (only_one)
);

COMMENT ON COLUMN search.hash_key.key IS 'Random; a new one makes older fingerprints strangers.';

COMMENT ON COLUMN search.hash_key.only_one IS 'Always true: there is one key.';

COMMENT ON TABLE search.hash_key IS 'The key under which questions are fingerprinted; for the owner alone, so that nobody who reads records can test a guess.';

CREATE TABLE search.lexeme_delta (
    lexeme text NOT NULL COLLATE pg_catalog."C",
    chunks bigint NOT NULL
);

COMMENT ON COLUMN search.lexeme_delta.chunks IS 'Chunks gained or lost.';

COMMENT ON COLUMN search.lexeme_delta.lexeme IS 'The lexeme.';

COMMENT ON TABLE search.lexeme_delta IS 'Changes of document frequency not folded yet: writers only append, so no row is hot.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.lexeme_delta TO pgkb_ingest;
GRANT SELECT ON TABLE search.lexeme_delta TO pgkb_admin;

CREATE TABLE search.lexeme_stat (
    lexeme text NOT NULL COLLATE pg_catalog."C",
    chunks bigint NOT NULL
);

COMMENT ON COLUMN search.lexeme_stat.chunks IS 'Chunks that hold it.';

COMMENT ON COLUMN search.lexeme_stat.lexeme IS 'The lexeme.';

COMMENT ON TABLE search.lexeme_stat IS 'Document frequency of each lexeme, without the deltas not folded yet.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.lexeme_stat TO pgkb_ingest;
GRANT SELECT ON TABLE search.lexeme_stat TO pgkb_admin;

CREATE TABLE search.listed_block (
    scope_id bigint NOT NULL,
    block integer NOT NULL,
    chunk_ids bigint[] NOT NULL,
    CONSTRAINT listed_block_fits CHECK (((cardinality(chunk_ids) >= 1) AND (cardinality(chunk_ids) <= 16000)))
);
ALTER TABLE ONLY search.listed_block ALTER COLUMN chunk_ids SET STORAGE EXTERNAL;

COMMENT ON COLUMN search.listed_block.block IS 'Its blocks are numbered from 0.';

COMMENT ON COLUMN search.listed_block.chunk_ids IS 'The chunks of the block, in ascending order.';

COMMENT ON COLUMN search.listed_block.scope_id IS 'The scope.';

COMMENT ON TABLE search.listed_block IS 'The chunks of a listed scope by number, in blocks: dimension i of a posting list is the i-th chunk of its block.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.listed_block TO pgkb_ingest;
GRANT SELECT ON TABLE search.listed_block TO pgkb_admin;

CREATE TABLE search.listed_scope (
    scope_id bigint NOT NULL,
    chunks bigint NOT NULL,
    listed_at timestamp with time zone DEFAULT now() NOT NULL,
    mean_length double precision NOT NULL,
    k1 double precision,
    b double precision
);

COMMENT ON COLUMN search.listed_scope.b IS 'The kb.bm25_b that is in the scores; NULL when it was listed before this was kept.';

COMMENT ON COLUMN search.listed_scope.chunks IS 'Its searchable chunks when it was listed.';

COMMENT ON COLUMN search.listed_scope.k1 IS 'The kb.bm25_k1 that is in the scores; NULL when it was listed before this was kept.';

COMMENT ON COLUMN search.listed_scope.listed_at IS 'When it was listed.';

COMMENT ON COLUMN search.listed_scope.mean_length IS 'The mean length of the texts of the corpus that is in the scores, in tokens.';

COMMENT ON COLUMN search.listed_scope.scope_id IS 'The scope.';

COMMENT ON TABLE search.listed_scope IS 'The scopes that have posting lists.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.listed_scope TO pgkb_ingest;
GRANT SELECT ON TABLE search.listed_scope TO pgkb_admin;

CREATE TABLE search.posting_list (
    lexeme text NOT NULL COLLATE pg_catalog."C",
    scope_id bigint NOT NULL,
    block integer NOT NULL,
    idf double precision NOT NULL,
    scores public.sparsevec NOT NULL
);

COMMENT ON COLUMN search.posting_list.block IS 'The block of the scope, search.listed_block.';

COMMENT ON COLUMN search.posting_list.idf IS 'The idf of the word that is in the scores.';

COMMENT ON COLUMN search.posting_list.lexeme IS 'The lexeme.';

COMMENT ON COLUMN search.posting_list.scope_id IS 'The scope whose chunks these are.';

COMMENT ON COLUMN search.posting_list.scores IS 'For every chunk of the block that holds the word what it adds to the BM25 score, with this idf and what search.listed_scope says of the scope.';

COMMENT ON TABLE search.posting_list IS 'Posting lists of the words that several chunks of a listed scope hold, as of when it was listed; made from search.text_index.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.posting_list TO pgkb_ingest;
GRANT SELECT ON TABLE search.posting_list TO pgkb_admin;

CREATE TABLE search.recent_text (
    scope_id bigint NOT NULL,
    chunk_id bigint NOT NULL
);

COMMENT ON COLUMN search.recent_text.chunk_id IS 'The chunk.';

COMMENT ON COLUMN search.recent_text.scope_id IS 'Their scope.';

COMMENT ON TABLE search.recent_text IS 'Chunks that came into search.text_index since their scope was listed, if it ever was.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.recent_text TO pgkb_ingest;
GRANT SELECT ON TABLE search.recent_text TO pgkb_admin;

CREATE TABLE search.record (
    record_id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    la_code text,
    home_la_code text,
    school_urn text,
    topics text[] DEFAULT '{}'::text[] NOT NULL,
    result_count integer NOT NULL,
    vector_only_count integer NOT NULL,
    keyword_only_count integer NOT NULL,
    hybrid_count integer NOT NULL,
    la_count integer NOT NULL,
    national_count integer NOT NULL,
    top_similarity double precision,
    top_bm25 double precision,
    top_rrf double precision,
    topic_fallback_used boolean NOT NULL,
    no_la_broad_fallback_used boolean NOT NULL,
    school_boosted boolean NOT NULL,
    timings jsonb DEFAULT '{}'::jsonb NOT NULL,
    mode text,
    embedding_set text,
    candidate_count integer,
    vector_candidate_count integer,
    keyword_candidate_count integer,
    kept_count integer,
    attempts integer,
    total_ms double precision,
    question_hash bytea,
    question text,
    CONSTRAINT record_mode_is_known CHECK ((mode = ANY (ARRAY['hybrid'::text, 'vector_only'::text, 'keyword_only'::text, 'none'::text])))
);

COMMENT ON COLUMN search.record.at IS 'When.';

COMMENT ON COLUMN search.record.attempts IS 'How often it searched: 1 is as asked.';

COMMENT ON COLUMN search.record.candidate_count IS 'Chunks that either leg found, before the floor; NULL when the caller did not say.';

COMMENT ON COLUMN search.record.embedding_set IS 'The embedding set that was searched.';

COMMENT ON COLUMN search.record.home_la_code IS 'Home authority, when it differs.';

COMMENT ON COLUMN search.record.hybrid_count IS 'Found by both legs.';

COMMENT ON COLUMN search.record.kept_count IS 'Candidates the floor kept, before assembly.';

COMMENT ON COLUMN search.record.keyword_candidate_count IS 'Of them, chunks of the keyword leg.';

COMMENT ON COLUMN search.record.keyword_only_count IS 'Found by the keyword leg alone.';

COMMENT ON COLUMN search.record.la_code IS 'Authority asked about.';

COMMENT ON COLUMN search.record.la_count IS 'Of the authority, home authority or school.';

COMMENT ON COLUMN search.record.mode IS 'Legs that were asked: hybrid, vector_only, keyword_only or none; NULL when the caller did not say.';

COMMENT ON COLUMN search.record.national_count IS 'National.';

COMMENT ON COLUMN search.record.no_la_broad_fallback_used IS 'All areas were searched.';

COMMENT ON COLUMN search.record.question IS 'The folded question, only where kb.record_questions was on; NULL otherwise.';

COMMENT ON COLUMN search.record.question_hash IS 'Fingerprint of the folded question under this database''s own key: equal questions can be counted, not read.';

COMMENT ON COLUMN search.record.record_id IS 'Key.';

COMMENT ON COLUMN search.record.result_count IS 'Chunks returned.';

COMMENT ON COLUMN search.record.school_boosted IS 'A chunk of the asked school was brought in.';

COMMENT ON COLUMN search.record.school_urn IS 'School asked about.';

COMMENT ON COLUMN search.record.timings IS 'Milliseconds by step, as the caller measured them.';

COMMENT ON COLUMN search.record.top_bm25 IS 'Best BM25 score.';

COMMENT ON COLUMN search.record.top_rrf IS 'Best fused score.';

COMMENT ON COLUMN search.record.top_similarity IS 'Best cosine similarity.';

COMMENT ON COLUMN search.record.topic_fallback_used IS 'The tags were dropped.';

COMMENT ON COLUMN search.record.topics IS 'Topics of the question.';

COMMENT ON COLUMN search.record.total_ms IS 'Milliseconds from question to result.';

COMMENT ON COLUMN search.record.vector_candidate_count IS 'Of them, chunks of the vector leg.';

COMMENT ON COLUMN search.record.vector_only_count IS 'Found by the vector leg alone.';

COMMENT ON TABLE search.record IS 'What each search returned, in numbers; the question itself only where kb.record_questions says so.';

GRANT SELECT(record_id) ON TABLE search.record TO pgkb_app;

GRANT INSERT ON TABLE search.record TO pgkb_app;
GRANT SELECT ON TABLE search.record TO pgkb_admin;

CREATE TABLE search.scope_delta (
    scope_id bigint NOT NULL,
    chunks bigint NOT NULL,
    tokens bigint NOT NULL
);

COMMENT ON COLUMN search.scope_delta.chunks IS 'Chunks gained or lost.';

COMMENT ON COLUMN search.scope_delta.scope_id IS 'The scope; 0 is the whole corpus.';

COMMENT ON COLUMN search.scope_delta.tokens IS 'Tokens gained or lost.';

COMMENT ON TABLE search.scope_delta IS 'Changes of scope sizes not folded yet.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.scope_delta TO pgkb_ingest;
GRANT SELECT ON TABLE search.scope_delta TO pgkb_admin;

CREATE TABLE search.scope_stat (
    scope_id bigint NOT NULL,
    chunks bigint NOT NULL,
    tokens bigint NOT NULL
);

COMMENT ON COLUMN search.scope_stat.chunks IS 'Searchable chunks in it.';

COMMENT ON COLUMN search.scope_stat.scope_id IS 'The scope; 0 is the whole corpus.';

COMMENT ON COLUMN search.scope_stat.tokens IS 'Sum of their token counts.';

COMMENT ON TABLE search.scope_stat IS 'Size of each scope, without the deltas not folded yet.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.scope_stat TO pgkb_ingest;
GRANT SELECT ON TABLE search.scope_stat TO pgkb_admin;

CREATE TABLE search.text_index (
    chunk_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    lexemes tsvector NOT NULL,
    token_count integer NOT NULL
);

COMMENT ON COLUMN search.text_index.chunk_id IS 'The chunk.';

COMMENT ON COLUMN search.text_index.lexemes IS 'Lexemes of title and content, and identifier tokens (#...).';

COMMENT ON COLUMN search.text_index.scope_id IS 'Its scope.';

COMMENT ON COLUMN search.text_index.token_count IS 'Length for BM25: tokens, stop words left out.';

COMMENT ON TABLE search.text_index IS 'Postings of the published version of each document: inserted and deleted with it, never updated.';

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE search.text_index TO pgkb_ingest;
GRANT SELECT ON TABLE search.text_index TO pgkb_admin;

ALTER TABLE search.record ALTER COLUMN record_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME search.record_record_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY search.hash_key
    ADD CONSTRAINT hash_key_pk PRIMARY KEY (only_one);

ALTER TABLE ONLY search.lexeme_stat
    ADD CONSTRAINT lexeme_stat_pk PRIMARY KEY (lexeme);

ALTER TABLE ONLY search.listed_block
    ADD CONSTRAINT listed_block_pk PRIMARY KEY (scope_id, block);

ALTER TABLE ONLY search.listed_scope
    ADD CONSTRAINT listed_scope_pk PRIMARY KEY (scope_id);

ALTER TABLE ONLY search.posting_list
    ADD CONSTRAINT posting_list_pk PRIMARY KEY (lexeme, scope_id, block);

ALTER TABLE ONLY search.recent_text
    ADD CONSTRAINT recent_text_pk PRIMARY KEY (scope_id, chunk_id);

ALTER TABLE ONLY search.record
    ADD CONSTRAINT record_pk PRIMARY KEY (record_id);

ALTER TABLE ONLY search.scope_stat
    ADD CONSTRAINT scope_stat_pk PRIMARY KEY (scope_id);

ALTER TABLE ONLY search.text_index
    ADD CONSTRAINT text_index_pk PRIMARY KEY (chunk_id);

ALTER TABLE ONLY search.listed_block
    ADD CONSTRAINT listed_block_scope_fk FOREIGN KEY (scope_id) REFERENCES search.listed_scope(scope_id) ON DELETE CASCADE;

ALTER TABLE ONLY search.listed_scope
    ADD CONSTRAINT listed_scope_scope_fk FOREIGN KEY (scope_id) REFERENCES corpus.scope(scope_id) ON DELETE CASCADE;

ALTER TABLE ONLY search.posting_list
    ADD CONSTRAINT posting_list_block_fk FOREIGN KEY (scope_id, block) REFERENCES search.listed_block(scope_id, block) ON DELETE CASCADE;

ALTER TABLE ONLY search.text_index
    ADD CONSTRAINT text_index_chunk_fk FOREIGN KEY (chunk_id) REFERENCES corpus.chunk(chunk_id) ON DELETE CASCADE;

CREATE INDEX lexeme_delta_lexeme_idx ON search.lexeme_delta USING btree (lexeme);

CREATE INDEX posting_list_block_idx ON search.posting_list USING btree (scope_id, block);

CREATE INDEX record_at_idx ON search.record USING btree (at);

CREATE INDEX scope_delta_scope_idx ON search.scope_delta USING btree (scope_id);

CREATE INDEX text_index_scope_idx ON search.text_index USING btree (scope_id);

CREATE INDEX text_index_scoped_idx ON search.text_index USING gin (search.scoped_lexemes(lexemes, scope_id)) WITH (fastupdate=off);

CREATE VIEW search.coverage_miss AS
 SELECT e.subject AS la_code,
    a.name AS la_name,
    t.topic,
    count(*) AS misses,
    count(*) FILTER (WHERE ((e.detail ->> 'results'::text) = '0'::text)) AS unanswered,
    max(e.at) AS last_at
   FROM ((audit.event e
     LEFT JOIN place.authority a ON ((e.subject = a.gss)))
     LEFT JOIN LATERAL jsonb_array_elements_text((e.detail -> 'topics'::text)) t(topic) ON (true))
  WHERE (e.kind = 'la_coverage_miss'::text)
  GROUP BY e.subject, a.name, t.topic;

COMMENT ON COLUMN search.coverage_miss.la_code IS 'The authority.';

COMMENT ON COLUMN search.coverage_miss.la_name IS 'Its name.';

COMMENT ON COLUMN search.coverage_miss.last_at IS 'When last.';

COMMENT ON COLUMN search.coverage_miss.misses IS 'How often.';

COMMENT ON COLUMN search.coverage_miss.topic IS 'Topic of the question; NULL when it had none.';

COMMENT ON COLUMN search.coverage_miss.unanswered IS 'How often there was nothing from elsewhere either.';

COMMENT ON VIEW search.coverage_miss IS 'Authorities whose questions found nothing of their own, by topic; a question of two topics counts in both.';

GRANT SELECT ON TABLE search.coverage_miss TO pgkb_admin;

CREATE VIEW search.fallback_use AS
 SELECT r.la_code,
    a.name AS la_name,
    count(*) AS searches,
    count(*) FILTER (WHERE r.topic_fallback_used) AS without_topics,
    count(*) FILTER (WHERE r.no_la_broad_fallback_used) AS all_areas,
    count(*) FILTER (WHERE (r.mode = 'keyword_only'::text)) AS keyword_only,
    count(*) FILTER (WHERE (r.result_count = 0)) AS unanswered,
    max(r.at) AS last_at
   FROM (search.record r
     LEFT JOIN place.authority a ON ((r.la_code = a.gss)))
  GROUP BY r.la_code, a.name;

COMMENT ON COLUMN search.fallback_use.all_areas IS 'Those that had to look in all areas.';

COMMENT ON COLUMN search.fallback_use.keyword_only IS 'Those that had no vector to go by.';

COMMENT ON COLUMN search.fallback_use.la_code IS 'Authority asked about; NULL when none was known.';

COMMENT ON COLUMN search.fallback_use.la_name IS 'Its name.';

COMMENT ON COLUMN search.fallback_use.last_at IS 'When the last was.';

COMMENT ON COLUMN search.fallback_use.searches IS 'How many searches.';

COMMENT ON COLUMN search.fallback_use.unanswered IS 'Those that found nothing.';

COMMENT ON COLUMN search.fallback_use.without_topics IS 'Those that had to leave the topics out.';

COMMENT ON VIEW search.fallback_use IS 'How often searches of an area had to do with less, among the records kept.';

GRANT SELECT ON TABLE search.fallback_use TO pgkb_admin;

CREATE VIEW search.scope_size AS
 SELECT scope_id,
    (sum(chunks))::bigint AS chunks,
    (sum(tokens))::bigint AS tokens
   FROM ( SELECT s.scope_id,
            s.chunks,
            s.tokens
           FROM search.scope_stat s
        UNION ALL
         SELECT s.scope_id,
            s.chunks,
            s.tokens
           FROM search.scope_delta s) d
  GROUP BY scope_id;

COMMENT ON COLUMN search.scope_size.chunks IS 'Searchable chunks in it.';

COMMENT ON COLUMN search.scope_size.scope_id IS 'The scope; 0 is the whole corpus.';

COMMENT ON COLUMN search.scope_size.tokens IS 'Sum of their token counts.';

COMMENT ON VIEW search.scope_size IS 'Exact size of each scope, folded or not.';

GRANT SELECT ON TABLE search.scope_size TO pgkb_ingest;
GRANT SELECT ON TABLE search.scope_size TO pgkb_admin;

CREATE VIEW search.slowest_search AS
 SELECT record_id,
    at,
    total_ms,
    timings,
    mode,
    embedding_set,
    la_code,
    topics,
    attempts,
    candidate_count,
    result_count
   FROM search.record r
  WHERE (total_ms IS NOT NULL)
  ORDER BY total_ms DESC, record_id
 LIMIT 50;

COMMENT ON COLUMN search.slowest_search.at IS 'When.';

COMMENT ON COLUMN search.slowest_search.attempts IS 'How often it searched.';

COMMENT ON COLUMN search.slowest_search.candidate_count IS 'Chunks that either leg found.';

COMMENT ON COLUMN search.slowest_search.embedding_set IS 'The embedding set that was searched.';

COMMENT ON COLUMN search.slowest_search.la_code IS 'Authority asked about.';

COMMENT ON COLUMN search.slowest_search.mode IS 'hybrid, vector_only, keyword_only or none.';

COMMENT ON COLUMN search.slowest_search.record_id IS 'The record.';

COMMENT ON COLUMN search.slowest_search.result_count IS 'Chunks returned.';

COMMENT ON COLUMN search.slowest_search.timings IS 'Milliseconds by step.';

COMMENT ON COLUMN search.slowest_search.topics IS 'Topics of the question.';

COMMENT ON COLUMN search.slowest_search.total_ms IS 'Milliseconds from question to result.';

COMMENT ON VIEW search.slowest_search IS 'The fifty slowest searches among the records kept.';

GRANT SELECT ON TABLE search.slowest_search TO pgkb_admin;

CREATE VIEW search.unanswered_question AS
 SELECT r.question_hash,
    r.la_code,
    a.name AS la_name,
    r.topics,
    max(r.question) AS question,
    count(*) AS searches,
    max(r.at) AS last_at
   FROM (search.record r
     LEFT JOIN place.authority a ON ((r.la_code = a.gss)))
  WHERE (r.result_count = 0)
  GROUP BY r.question_hash, r.la_code, a.name, r.topics;

COMMENT ON COLUMN search.unanswered_question.la_code IS 'Authority asked about.';

COMMENT ON COLUMN search.unanswered_question.la_name IS 'Its name.';

COMMENT ON COLUMN search.unanswered_question.last_at IS 'When last.';

COMMENT ON COLUMN search.unanswered_question.question IS 'The question, only where kb.record_questions was on.';

COMMENT ON COLUMN search.unanswered_question.question_hash IS 'Fingerprint of the question; NULL when the caller gave none.';

COMMENT ON COLUMN search.unanswered_question.searches IS 'How often it was asked in vain.';

COMMENT ON COLUMN search.unanswered_question.topics IS 'Topics of the question.';

COMMENT ON VIEW search.unanswered_question IS 'Questions that returned nothing, by fingerprint, authority and topics, among the records kept.';

GRANT SELECT ON TABLE search.unanswered_question TO pgkb_admin;

CREATE FUNCTION search.add_postings(words search.query_word[], bm25 search.bm25, scope_ids bigint[]) RETURNS SETOF search.block_scores
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS 'sha256 40eb9ef24723bad7';

COMMENT ON FUNCTION search.add_postings(words search.query_word[], bm25 search.bm25, scope_ids bigint[]) IS 'The BM25 scores of every chunk of these listed scopes by these words, block by block, as far as their posting lists tell.';

REVOKE ALL ON FUNCTION search.add_postings(words search.query_word[], bm25 search.bm25, scope_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.add_postings(words search.query_word[], bm25 search.bm25, scope_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION search.apply_floor(hits search.ranked_hit[], has_vector boolean, relevance_floor double precision, school_floor double precision, school_limit integer, keyword_coverage double precision, school_coverage double precision) RETURNS SETOF search.ranked_hit
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 cb273012f93dd281';

COMMENT ON FUNCTION search.apply_floor(hits search.ranked_hit[], has_vector boolean, relevance_floor double precision, school_floor double precision, school_limit integer, keyword_coverage double precision, school_coverage double precision) IS 'Say of each candidate whether it is relevant enough: dropped_because is NULL for the kept ones.';

REVOKE ALL ON FUNCTION search.apply_floor(hits search.ranked_hit[], has_vector boolean, relevance_floor double precision, school_floor double precision, school_limit integer, keyword_coverage double precision, school_coverage double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION search.apply_floor(hits search.ranked_hit[], has_vector boolean, relevance_floor double precision, school_floor double precision, school_limit integer, keyword_coverage double precision, school_coverage double precision) TO pgkb_admin;

CREATE FUNCTION search.assemble(retrieval search.retrieval) RETURNS SETOF public.search_result
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4efb2ef4256ea5af';

COMMENT ON FUNCTION search.assemble(retrieval search.retrieval) IS 'The answer of a retrieval: its chosen chunks in their places, each with its neighbours as context.';

REVOKE ALL ON FUNCTION search.assemble(retrieval search.retrieval) FROM PUBLIC;
GRANT ALL ON FUNCTION search.assemble(retrieval search.retrieval) TO pgkb_admin;

CREATE FUNCTION search.bit_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[] DEFAULT NULL::text[], candidates integer DEFAULT 50, tagged bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF search.vector_hit
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS 'sha256 d1e1b7a6af372027';

COMMENT ON FUNCTION search.bit_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer, tagged bigint[]) IS 'The most similar visible chunks of these scopes by a scan of their bits, the nearest of which are ranked by their vectors.';

REVOKE ALL ON FUNCTION search.bit_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer, tagged bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.bit_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer, tagged bigint[]) TO pgkb_admin;

CREATE FUNCTION search.bm25_impact(tf double precision, token_count integer, mean_length double precision, k1 double precision, b double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'sha256 f30a3931d19fdcad';

COMMENT ON FUNCTION search.bm25_impact(tf double precision, token_count integer, mean_length double precision, k1 double precision, b double precision) IS 'What a word adds to the BM25 score of a text, before its idf: tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length)).';

REVOKE ALL ON FUNCTION search.bm25_impact(tf double precision, token_count integer, mean_length double precision, k1 double precision, b double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION search.bm25_impact(tf double precision, token_count integer, mean_length double precision, k1 double precision, b double precision) TO pgkb_ingest;
GRANT ALL ON FUNCTION search.bm25_impact(tf double precision, token_count integer, mean_length double precision, k1 double precision, b double precision) TO pgkb_admin;

CREATE FUNCTION search.bm25_settings() RETURNS search.bm25
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 00a3d03c95c945c2';

COMMENT ON FUNCTION search.bm25_settings() IS 'The settings of BM25 and the size of the corpus, read once for a search.';

REVOKE ALL ON FUNCTION search.bm25_settings() FROM PUBLIC;
GRANT ALL ON FUNCTION search.bm25_settings() TO pgkb_ingest;
GRANT ALL ON FUNCTION search.bm25_settings() TO pgkb_admin;

CREATE FUNCTION search.calibrate(questions integer DEFAULT 20, dry_run boolean DEFAULT false) RETURNS TABLE(index_ms double precision, exact_ms_per_thousand double precision, measured_chunks bigint, exact_limit integer, installed boolean)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8179980fd97c8830';

COMMENT ON FUNCTION search.calibrate(questions integer, dry_run boolean) IS 'Measure on this machine how many chunks an exact scan reads in the time the index needs, and install it as kb.exact_limit.';

REVOKE ALL ON FUNCTION search.calibrate(questions integer, dry_run boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION search.calibrate(questions integer, dry_run boolean) TO pgkb_admin;

CREATE FUNCTION search.caller_is_admin() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 df740d0c68979756';

COMMENT ON FUNCTION search.caller_is_admin() IS 'Whether the role that calls, as it logged in or set itself, has the rights of pgkb_admin; also inside a definer''s function.';

REVOKE ALL ON FUNCTION search.caller_is_admin() FROM PUBLIC;
GRANT ALL ON FUNCTION search.caller_is_admin() TO pgkb_admin;

CREATE FUNCTION search.check_arguments(top_k integer, candidates integer, statuses text[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 f17e106918c4adb6';

COMMENT ON FUNCTION search.check_arguments(top_k integer, candidates integer, statuses text[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) IS 'Refuse limits and states that a search cannot have, before any work is done.';

REVOKE ALL ON FUNCTION search.check_arguments(top_k integer, candidates integer, statuses text[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION search.check_arguments(top_k integer, candidates integer, statuses text[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) TO pgkb_admin;

CREATE FUNCTION search.check_statistics() RETURNS TABLE(statistic text, subject text, kept bigint, counted bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 add01d9ebcc6022a';

COMMENT ON FUNCTION search.check_statistics() IS 'Compare the statistics BM25 goes by, folded or not, with a recount of the text index: one row per difference, none when exact.';

REVOKE ALL ON FUNCTION search.check_statistics() FROM PUBLIC;
GRANT ALL ON FUNCTION search.check_statistics() TO pgkb_admin;

CREATE FUNCTION search.choose(hits search.ranked_hit[], top_k integer, max_chunks_per_document integer) RETURNS SETOF search.ranked_hit
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0851dc7dce9ebe1a';

COMMENT ON FUNCTION search.choose(hits search.ranked_hit[], top_k integer, max_chunks_per_document integer) IS 'From the kept candidates the answer: equal texts once, few chunks a document, the best top_k; each of the others with the reason it is not in it.';

REVOKE ALL ON FUNCTION search.choose(hits search.ranked_hit[], top_k integer, max_chunks_per_document integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.choose(hits search.ranked_hit[], top_k integer, max_chunks_per_document integer) TO pgkb_admin;

CREATE FUNCTION search.choose_words(words search.query_word[], share double precision, budget double precision, pool integer) RETURNS SETOF search.query_word
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 27c0714896a95a8d';

COMMENT ON FUNCTION search.choose_words(words search.query_word[], share double precision, budget double precision, pool integer) IS 'The words whose postings are read to find candidates: rarest first until the budget is spent, never so few that they cannot fill the pool.';

REVOKE ALL ON FUNCTION search.choose_words(words search.query_word[], share double precision, budget double precision, pool integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.choose_words(words search.query_word[], share double precision, budget double precision, pool integer) TO pgkb_admin;

CREATE FUNCTION search.chunks_as_of(as_of date, scope_ids bigint[], statuses text[], tags text[] DEFAULT NULL::text[]) RETURNS SETOF bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 243ee61f1a3dc37c';

COMMENT ON FUNCTION search.chunks_as_of(as_of date, scope_ids bigint[], statuses text[], tags text[]) IS 'The chunks in these scopes of the versions in force on a day, in these states now or when they were superseded.';

REVOKE ALL ON FUNCTION search.chunks_as_of(as_of date, scope_ids bigint[], statuses text[], tags text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.chunks_as_of(as_of date, scope_ids bigint[], statuses text[], tags text[]) TO pgkb_admin;

CREATE FUNCTION search.count_above(blocks search.block_scores[], level real) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 5ba4ffd34bacc608';

COMMENT ON FUNCTION search.count_above(blocks search.block_scores[], level real) IS 'How many chunks of these blocks score higher than a level.';

REVOKE ALL ON FUNCTION search.count_above(blocks search.block_scores[], level real) FROM PUBLIC;
GRANT ALL ON FUNCTION search.count_above(blocks search.block_scores[], level real) TO pgkb_admin;

CREATE FUNCTION search.count_candidates(hits search.ranked_hit[], attempts integer DEFAULT 1, topic_fallback_used boolean DEFAULT false, no_la_broad_fallback_used boolean DEFAULT false) RETURNS search.candidate_count
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 3f6579cea3603d6b';

COMMENT ON FUNCTION search.count_candidates(hits search.ranked_hit[], attempts integer, topic_fallback_used boolean, no_la_broad_fallback_used boolean) IS 'What a search weighed, in numbers: candidates of each leg and those the floor kept, and what was tried.';

REVOKE ALL ON FUNCTION search.count_candidates(hits search.ranked_hit[], attempts integer, topic_fallback_used boolean, no_la_broad_fallback_used boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION search.count_candidates(hits search.ranked_hit[], attempts integer, topic_fallback_used boolean, no_la_broad_fallback_used boolean) TO pgkb_admin;

CREATE FUNCTION search.exact_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[] DEFAULT NULL::text[], candidates integer DEFAULT 50, as_of date DEFAULT NULL::date) RETURNS SETOF search.vector_hit
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 669e3104b43dfb03';

COMMENT ON FUNCTION search.exact_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date) IS 'The most similar visible chunks of these scopes by an exact scan: recall 1, cost grows with the scopes.';

REVOKE ALL ON FUNCTION search.exact_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date) FROM PUBLIC;
GRANT ALL ON FUNCTION search.exact_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date) TO pgkb_admin;

CREATE FUNCTION search.explain_absence(retrieval search.retrieval, chunk_id bigint) RETURNS TABLE(verdict text, reason text, place integer, facts jsonb)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1f1e710e7ba13c41';

COMMENT ON FUNCTION search.explain_absence(retrieval search.retrieval, chunk_id bigint) IS 'Why a chunk is not in the answer of a retrieval, or at which place it is: one verdict, the reason in words, the facts.';

REVOKE ALL ON FUNCTION search.explain_absence(retrieval search.retrieval, chunk_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION search.explain_absence(retrieval search.retrieval, chunk_id bigint) TO pgkb_admin;

CREATE FUNCTION search.explain_miss(retrieval search.retrieval, chunk_id bigint, OUT verdict text, OUT reason text, OUT facts jsonb) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 84686f3c577ace29';

COMMENT ON FUNCTION search.explain_miss(retrieval search.retrieval, chunk_id bigint, OUT verdict text, OUT reason text, OUT facts jsonb) IS 'Why no leg of a retrieval brought a visible chunk: its true rank in each leg, and the one that came closest.';

REVOKE ALL ON FUNCTION search.explain_miss(retrieval search.retrieval, chunk_id bigint, OUT verdict text, OUT reason text, OUT facts jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION search.explain_miss(retrieval search.retrieval, chunk_id bigint, OUT verdict text, OUT reason text, OUT facts jsonb) TO pgkb_admin;

CREATE FUNCTION search.explain_retrieval(retrieval search.retrieval) RETURNS TABLE(stage_no integer, stage text, chunk_id bigint, title text, scope text, rank integer, value double precision, kept boolean, reason text, detail jsonb)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 edfe353e57820f4b';

COMMENT ON FUNCTION search.explain_retrieval(retrieval search.retrieval) IS 'One row per thing a search looked at in each of its steps, in their order, with the reason in words.';

REVOKE ALL ON FUNCTION search.explain_retrieval(retrieval search.retrieval) FROM PUBLIC;
GRANT ALL ON FUNCTION search.explain_retrieval(retrieval search.retrieval) TO pgkb_admin;

CREATE FUNCTION search.find(query_vec public.vector, tsquery tsquery, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, statuses text[] DEFAULT NULL::text[], topics text[] DEFAULT NULL::text[], candidates integer DEFAULT NULL::integer, rrf_k double precision DEFAULT NULL::double precision, vector_weight double precision DEFAULT NULL::double precision, keyword_weight double precision DEFAULT NULL::double precision, embedding_set text DEFAULT NULL::text) RETURNS search.finding
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 c048b0b36558f768';

COMMENT ON FUNCTION search.find(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) IS 'The answer of search_kb with the counts from before the floor, and with its flags also where the answer is empty.';

REVOKE ALL ON FUNCTION search.find(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION search.find(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_app;
GRANT ALL ON FUNCTION search.find(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_admin;

CREATE FUNCTION search.fold_statistics() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 bf9e6a62b93088b2';

COMMENT ON FUNCTION search.fold_statistics() IS 'Fold the noted deltas into the statistics; returns how many were folded. Searches see the same numbers before and after.';

REVOKE ALL ON FUNCTION search.fold_statistics() FROM PUBLIC;
GRANT ALL ON FUNCTION search.fold_statistics() TO pgkb_ingest;
GRANT ALL ON FUNCTION search.fold_statistics() TO pgkb_admin;

CREATE FUNCTION search.freshness(effective_date date, on_day date, floor double precision DEFAULT 0.8) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'sha256 7cdbd5d6aa3461ad';

COMMENT ON FUNCTION search.freshness(effective_date date, on_day date, floor double precision) IS 'Mild weight by age: floor + (1 - floor) / (1 + years); a date to come counts as today, an unknown one is neutral.';

REVOKE ALL ON FUNCTION search.freshness(effective_date date, on_day date, floor double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION search.freshness(effective_date date, on_day date, floor double precision) TO pgkb_admin;

CREATE FUNCTION search.fuse(vector_hits search.vector_hit[], keyword_hits search.keyword_hit[], rrf_k double precision DEFAULT 60, vector_weight double precision DEFAULT 1, keyword_weight double precision DEFAULT 1) RETURNS SETOF search.ranked_hit
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 9a1a37668754b873';

COMMENT ON FUNCTION search.fuse(vector_hits search.vector_hit[], keyword_hits search.keyword_hit[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) IS 'Reciprocal Rank Fusion of the two legs: sum of weight / (k + rank), equal scores share a rank, absent counts zero.';

REVOKE ALL ON FUNCTION search.fuse(vector_hits search.vector_hit[], keyword_hits search.keyword_hit[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION search.fuse(vector_hits search.vector_hit[], keyword_hits search.keyword_hit[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) TO pgkb_admin;

CREATE FUNCTION search.guess_level(low double precision, above_low double precision, high double precision, above_high double precision, target double precision, trial integer) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2989956df346a5e2';

COMMENT ON FUNCTION search.guess_level(low double precision, above_low double precision, high double precision, above_high double precision, target double precision, trial integer) IS 'The score that about so many chunks exceed, between two of which it is known how many exceed them.';

REVOKE ALL ON FUNCTION search.guess_level(low double precision, above_low double precision, high double precision, above_high double precision, target double precision, trial integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.guess_level(low double precision, above_low double precision, high double precision, above_high double precision, target double precision, trial integer) TO pgkb_admin;

CREATE FUNCTION search.hash_question(question text) RETURNS bytea
    LANGUAGE sql STABLE STRICT SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1779610e450147ed';

COMMENT ON FUNCTION search.hash_question(question text) IS 'Fingerprint of the folded question under this database''s own key: equal questions are equal, none can be guessed.';

REVOKE ALL ON FUNCTION search.hash_question(question text) FROM PUBLIC;
GRANT ALL ON FUNCTION search.hash_question(question text) TO pgkb_app;

CREATE FUNCTION search.health(since interval DEFAULT '7 days'::interval) RETURNS TABLE(day date, searches bigint, questions bigint, results_mean double precision, candidates_mean double precision, no_answer_share double precision, hybrid_share double precision, vector_only_share double precision, keyword_only_share double precision, keyword_only_searches bigint, topic_fallback_share double precision, broad_fallback_share double precision, school_boosted_share double precision, no_local_share double precision, p50_ms double precision, p95_ms double precision)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0654df6ee6c951f4';

COMMENT ON FUNCTION search.health(since interval) IS 'How searches went since an interval ago, a row for each day and, with day NULL, one for the whole time.';

REVOKE ALL ON FUNCTION search.health(since interval) FROM PUBLIC;
GRANT ALL ON FUNCTION search.health(since interval) TO pgkb_admin;

CREATE FUNCTION search.idf(corpus double precision, chunks double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'sha256 e957a0a38dd1f224';

COMMENT ON FUNCTION search.idf(corpus double precision, chunks double precision) IS 'The inverse document frequency of a word that so many chunks of the corpus hold, as in Lucene: ln(1 + (N - n + 0.5) / (n + 0.5)).';

REVOKE ALL ON FUNCTION search.idf(corpus double precision, chunks double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION search.idf(corpus double precision, chunks double precision) TO pgkb_ingest;
GRANT ALL ON FUNCTION search.idf(corpus double precision, chunks double precision) TO pgkb_admin;

CREATE FUNCTION search.index_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[] DEFAULT NULL::text[], candidates integer DEFAULT 50) RETURNS SETOF search.vector_hit
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "hnsw.ef_search" TO '100'
    SET "hnsw.iterative_scan" TO 'relaxed_order'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS 'sha256 99ba1605e8edb916';

COMMENT ON FUNCTION search.index_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer) IS 'The most similar visible chunks of these scopes by an HNSW index, scanned on while the filter leaves too few.';

REVOKE ALL ON FUNCTION search.index_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.index_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer) TO pgkb_admin;

CREATE FUNCTION search.keyword_leg(tsquery tsquery, scope_ids bigint[], statuses text[], tags text[] DEFAULT NULL::text[], candidates integer DEFAULT 50, as_of date DEFAULT NULL::date, within bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF search.keyword_hit
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4387aabad7388c32';

COMMENT ON FUNCTION search.keyword_leg(tsquery tsquery, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date, within bigint[]) IS 'The keyword leg: the best visible chunks by BM25 over the whole visible corpus, any word matching; a chunk without a match is not there.';

REVOKE ALL ON FUNCTION search.keyword_leg(tsquery tsquery, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date, within bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.keyword_leg(tsquery tsquery, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date, within bigint[]) TO pgkb_admin;

CREATE FUNCTION search.keyword_pool(words search.query_word[], from_index search.query_word[], bm25 search.bm25, scopes search.visible_scope[], listed bigint[], statuses text[], tags text[], pool integer, budget bigint) RETURNS SETOF search.text_index
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS 'sha256 f46baf52476c7762';

COMMENT ON FUNCTION search.keyword_pool(words search.query_word[], from_index search.query_word[], bm25 search.bm25, scopes search.visible_scope[], listed bigint[], statuses text[], tags text[], pool integer, budget bigint) IS 'The visible chunks that score best by these words: what the keyword leg scores exactly, from their texts.';

REVOKE ALL ON FUNCTION search.keyword_pool(words search.query_word[], from_index search.query_word[], bm25 search.bm25, scopes search.visible_scope[], listed bigint[], statuses text[], tags text[], pool integer, budget bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION search.keyword_pool(words search.query_word[], from_index search.query_word[], bm25 search.bm25, scopes search.visible_scope[], listed bigint[], statuses text[], tags text[], pool integer, budget bigint) TO pgkb_admin;

CREATE FUNCTION search.keyword_pool_as_of(any_word tsquery, as_of date, scope_ids bigint[], statuses text[], tags text[], within bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF search.text_index
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8863f1a60bebc2ec';

COMMENT ON FUNCTION search.keyword_pool_as_of(any_word tsquery, as_of date, scope_ids bigint[], statuses text[], tags text[], within bigint[]) IS 'The chunks in force on a day that hold any of the words; superseded versions are not indexed, so their words are found again from the text.';

REVOKE ALL ON FUNCTION search.keyword_pool_as_of(any_word tsquery, as_of date, scope_ids bigint[], statuses text[], tags text[], within bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.keyword_pool_as_of(any_word tsquery, as_of date, scope_ids bigint[], statuses text[], tags text[], within bigint[]) TO pgkb_admin;

CREATE FUNCTION search.keyword_pool_within(words search.query_word[], bm25 search.bm25, within bigint[], scope_ids bigint[], statuses text[], tags text[], pool integer) RETURNS SETOF search.text_index
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS 'sha256 4bdeae3ecea516b9';

COMMENT ON FUNCTION search.keyword_pool_within(words search.query_word[], bm25 search.bm25, within bigint[], scope_ids bigint[], statuses text[], tags text[], pool integer) IS 'Of some chunks the visible ones that score best by these words: the pool where the filters are narrower than the words.';

REVOKE ALL ON FUNCTION search.keyword_pool_within(words search.query_word[], bm25 search.bm25, within bigint[], scope_ids bigint[], statuses text[], tags text[], pool integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.keyword_pool_within(words search.query_word[], bm25 search.bm25, within bigint[], scope_ids bigint[], statuses text[], tags text[], pool integer) TO pgkb_admin;

CREATE FUNCTION search.level_vector(level real, dims integer DEFAULT 16000) RETURNS public.vector
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4f79cf8d7bc70ef1';

COMMENT ON FUNCTION search.level_vector(level real, dims integer) IS 'A vector of one number throughout: what scores are held against to see, all at once, which of them exceed it.';

REVOKE ALL ON FUNCTION search.level_vector(level real, dims integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.level_vector(level real, dims integer) TO pgkb_admin;

CREATE FUNCTION search.list_postings(scope_id bigint) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 12374c955250091a';

COMMENT ON FUNCTION search.list_postings(scope_id bigint) IS 'Make the posting lists of a scope anew; returns how many lists it has. A search reads the old ones until this commits.';

REVOKE ALL ON FUNCTION search.list_postings(scope_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION search.list_postings(scope_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION search.list_postings(scope_id bigint) TO pgkb_admin;

CREATE FUNCTION search.listed_scopes(scope_ids bigint[]) RETURNS bigint[]
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 60cd16c5511cf33e';

COMMENT ON FUNCTION search.listed_scopes(scope_ids bigint[]) IS 'Those of some scopes whose posting lists are to be read: listed, and not more than kb.list_recent chunks came since.';

REVOKE ALL ON FUNCTION search.listed_scopes(scope_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.listed_scopes(scope_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION search.purge_records(batch_size integer DEFAULT 10000) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 c0e62beea93655f2';

COMMENT ON FUNCTION search.purge_records(batch_size integer) IS 'Remove the oldest search records and coverage misses whose time is over, one batch of each; returns how many went.';

REVOKE ALL ON FUNCTION search.purge_records(batch_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.purge_records(batch_size integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION search.purge_records(batch_size integer) TO pgkb_admin;

CREATE FUNCTION search.query_words(tsquery tsquery) RETURNS SETOF search.query_word
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS 'sha256 97fad6c9054d8b00';

COMMENT ON FUNCTION search.query_words(tsquery tsquery) IS 'The positive words of a tsquery with how common each is, rarest first, at most kb.keyword_terms; negated ones are left out.';

REVOKE ALL ON FUNCTION search.query_words(tsquery tsquery) FROM PUBLIC;
GRANT ALL ON FUNCTION search.query_words(tsquery tsquery) TO pgkb_admin;

CREATE FUNCTION search.rank_candidates(request search.request, scopes search.visible_scope[], tags text[], candidates integer) RETURNS search.ranking
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 3b199b76db996d9d';

COMMENT ON FUNCTION search.rank_candidates(request search.request, scopes search.visible_scope[], tags text[], candidates integer) IS 'Both legs, fusion, weights and floor over the given scopes: every candidate, kept or with the reason it was dropped.';

REVOKE ALL ON FUNCTION search.rank_candidates(request search.request, scopes search.visible_scope[], tags text[], candidates integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.rank_candidates(request search.request, scopes search.visible_scope[], tags text[], candidates integer) TO pgkb_admin;

CREATE FUNCTION search.rebuild_statistics() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 764cab117b8f3a8b';

COMMENT ON FUNCTION search.rebuild_statistics() IS 'Put wrong statistics right; returns how many numbers were wrong. Searches see all of it or nothing.';

REVOKE ALL ON FUNCTION search.rebuild_statistics() FROM PUBLIC;
GRANT ALL ON FUNCTION search.rebuild_statistics() TO pgkb_admin;

CREATE FUNCTION search.record_search(results public.search_result[], la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, topics text[] DEFAULT NULL::text[], timings jsonb DEFAULT '{}'::jsonb, counts search.candidate_count DEFAULT NULL::search.candidate_count, mode text DEFAULT NULL::text, embedding_set text DEFAULT NULL::text, question text DEFAULT NULL::text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 2c77c80b753d2ce7';

COMMENT ON FUNCTION search.record_search(results public.search_result[], la text, home_la text, urn text, topics text[], timings jsonb, counts search.candidate_count, mode text, embedding_set text, question text) IS 'Note how a search went, in numbers; a known authority without a hit of its own is an audit row la_coverage_miss.';

REVOKE ALL ON FUNCTION search.record_search(results public.search_result[], la text, home_la text, urn text, topics text[], timings jsonb, counts search.candidate_count, mode text, embedding_set text, question text) FROM PUBLIC;
GRANT ALL ON FUNCTION search.record_search(results public.search_result[], la text, home_la text, urn text, topics text[], timings jsonb, counts search.candidate_count, mode text, embedding_set text, question text) TO pgkb_app;
GRANT ALL ON FUNCTION search.record_search(results public.search_result[], la text, home_la text, urn text, topics text[], timings jsonb, counts search.candidate_count, mode text, embedding_set text, question text) TO pgkb_admin;

CREATE FUNCTION search.refresh_postings() RETURNS integer
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 521c8bb62279d3e9';

COMMENT ON FUNCTION search.refresh_postings() IS 'Make the posting lists that search.scopes_to_list names; returns for how many scopes.';

REVOKE ALL ON FUNCTION search.refresh_postings() FROM PUBLIC;
GRANT ALL ON FUNCTION search.refresh_postings() TO pgkb_ingest;
GRANT ALL ON FUNCTION search.refresh_postings() TO pgkb_admin;

CREATE FUNCTION search.rerank_depth(candidates integer, width integer) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1c50fdeb254c979e';

COMMENT ON FUNCTION search.rerank_depth(candidates integer, width integer) IS 'So many of the nearest by bits are ranked again by their vectors: at 768 dimensions eight times the candidates, at least kb.rerank_depth; in proportion fewer of wider vectors, more of narrower ones.';

REVOKE ALL ON FUNCTION search.rerank_depth(candidates integer, width integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.rerank_depth(candidates integer, width integer) TO pgkb_admin;

CREATE FUNCTION search.resolve_request(query_vec public.vector, tsquery tsquery, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, statuses text[] DEFAULT NULL::text[], topics text[] DEFAULT NULL::text[], candidates integer DEFAULT NULL::integer, rrf_k double precision DEFAULT NULL::double precision, vector_weight double precision DEFAULT NULL::double precision, keyword_weight double precision DEFAULT NULL::double precision, embedding_set text DEFAULT NULL::text) RETURNS search.request
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e74227072bfdbf6d';

COMMENT ON FUNCTION search.resolve_request(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) IS 'What a search was asked, checked and with nothing left out: arguments, then settings, then the embedding set''s own.';

REVOKE ALL ON FUNCTION search.resolve_request(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION search.resolve_request(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_admin;

CREATE FUNCTION search.retrieve(request search.request) RETURNS search.retrieval
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 403b84c5ef91627e';

COMMENT ON FUNCTION search.retrieve(request search.request) IS 'Run a search and hand on everything it looked at: candidates with what became of each, scopes, plans, attempts, flags, timings.';

REVOKE ALL ON FUNCTION search.retrieve(request search.request) FROM PUBLIC;
GRANT ALL ON FUNCTION search.retrieve(request search.request) TO pgkb_admin;

CREATE FUNCTION search.scan_limit(by_bits boolean) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 fc402755f9fea43a';

COMMENT ON FUNCTION search.scan_limit(by_bits boolean) IS 'So many chunks together are scanned; with more, a vector index is read: kb.exact_limit, and four times that where they are scanned by their bits.';

REVOKE ALL ON FUNCTION search.scan_limit(by_bits boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION search.scan_limit(by_bits boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION search.scan_limit(by_bits boolean) TO pgkb_admin;

CREATE FUNCTION search.scope_of(la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS TABLE(la_code text, la_name text, home_la_code text, home_la_name text, school_urn text, school_name text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 75cf11dca0366703';

COMMENT ON FUNCTION search.scope_of(la text, home_la text, urn text, postcode text) IS 'Who a question is asked for, with names: the authority, the home authority and the school that what the asker gave resolves to.';

REVOKE ALL ON FUNCTION search.scope_of(la text, home_la text, urn text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION search.scope_of(la text, home_la text, urn text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION search.scope_of(la text, home_la text, urn text, postcode text) TO pgkb_admin;

CREATE FUNCTION search.scoped_lexemes(lexemes tsvector, scope_id bigint) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 c16af56586b0c10c';

COMMENT ON FUNCTION search.scoped_lexemes(lexemes tsvector, scope_id bigint) IS 'What the text index is made of: the lexemes of a chunk, its scope (@), and once more (^) the lexemes that it holds three times or oftener, so that of a word too common to read whole the best chunks can be read.';

REVOKE ALL ON FUNCTION search.scoped_lexemes(lexemes tsvector, scope_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION search.scoped_lexemes(lexemes tsvector, scope_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION search.scoped_lexemes(lexemes tsvector, scope_id bigint) TO pgkb_admin;

CREATE FUNCTION search.scopes_to_list() RETURNS TABLE(scope_id bigint, chunks bigint, why text)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 654b1bb86cfdf4bb';

COMMENT ON FUNCTION search.scopes_to_list() IS 'The scopes whose posting lists are to be made: large ones without, and those that changed by a twentieth since.';

REVOKE ALL ON FUNCTION search.scopes_to_list() FROM PUBLIC;
GRANT ALL ON FUNCTION search.scopes_to_list() TO pgkb_ingest;
GRANT ALL ON FUNCTION search.scopes_to_list() TO pgkb_admin;

CREATE FUNCTION search.score_cut(blocks search.block_scores[], wanted integer, ceiling double precision) RETURNS real
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8f34db1c0395f877';

COMMENT ON FUNCTION search.score_cut(blocks search.block_scores[], wanted integer, ceiling double precision) IS 'A score that between wanted and twice as many chunks of these blocks exceed; 0 where no more than that score at all.';

REVOKE ALL ON FUNCTION search.score_cut(blocks search.block_scores[], wanted integer, ceiling double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION search.score_cut(blocks search.block_scores[], wanted integer, ceiling double precision) TO pgkb_admin;

CREATE FUNCTION search.score_texts(texts search.text_index[], words search.query_word[], bm25 search.bm25) RETURNS SETOF search.keyword_hit
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 50c0993c2024126d';

COMMENT ON FUNCTION search.score_texts(texts search.text_index[], words search.query_word[], bm25 search.bm25) IS 'BM25 of texts by all words of a question, best first; a text without any of them is left out.';

REVOKE ALL ON FUNCTION search.score_texts(texts search.text_index[], words search.query_word[], bm25 search.bm25) FROM PUBLIC;
GRANT ALL ON FUNCTION search.score_texts(texts search.text_index[], words search.query_word[], bm25 search.bm25) TO pgkb_admin;

CREATE FUNCTION search.similarities(query public.halfvec, set_id integer, chunk_ids bigint[]) RETURNS TABLE(chunk_id bigint, similarity double precision)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8e792a7778a82c8f';

COMMENT ON FUNCTION search.similarities(query public.halfvec, set_id integer, chunk_ids bigint[]) IS 'Cosine similarity of named chunks, whichever leg found them; chunks without a vector in the set are left out.';

REVOKE ALL ON FUNCTION search.similarities(query public.halfvec, set_id integer, chunk_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.similarities(query public.halfvec, set_id integer, chunk_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION search.tagged_chunks(tags text[], scope_ids bigint[], statuses text[], most bigint DEFAULT NULL::bigint) RETURNS TABLE(chunk_id bigint, scope_id bigint)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS 'sha256 b8e328df43c6b1de';

COMMENT ON FUNCTION search.tagged_chunks(tags text[], scope_ids bigint[], statuses text[], most bigint) IS 'The visible chunks of these scopes that carry any of these tags, at most so many.';

REVOKE ALL ON FUNCTION search.tagged_chunks(tags text[], scope_ids bigint[], statuses text[], most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION search.tagged_chunks(tags text[], scope_ids bigint[], statuses text[], most bigint) TO pgkb_admin;

CREATE FUNCTION search.tagged_scores(blocks search.block_scores[], tags text[], scope_ids bigint[], statuses text[], most bigint) RETURNS search.block_scores[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS 'sha256 6ebd1a2e618b5f9d';

COMMENT ON FUNCTION search.tagged_scores(blocks search.block_scores[], tags text[], scope_ids bigint[], statuses text[], most bigint) IS 'The same blocks with the scores of visible chunks that carry any of these tags alone, all others 0; NULL where more than most carry them.';

REVOKE ALL ON FUNCTION search.tagged_scores(blocks search.block_scores[], tags text[], scope_ids bigint[], statuses text[], most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION search.tagged_scores(blocks search.block_scores[], tags text[], scope_ids bigint[], statuses text[], most bigint) TO pgkb_admin;

CREATE FUNCTION search.term_frequency(lexemes tsvector, term tsquery) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'sha256 63dacb9cf913be03';

COMMENT ON FUNCTION search.term_frequency(lexemes tsvector, term tsquery) IS 'How often a text holds a word, read from its positions; 0 where it does not hold it.';

REVOKE ALL ON FUNCTION search.term_frequency(lexemes tsvector, term tsquery) FROM PUBLIC;
GRANT ALL ON FUNCTION search.term_frequency(lexemes tsvector, term tsquery) TO pgkb_admin;

CREATE FUNCTION search.text_index__keep_statistics() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d23ec8275a7b360e';

COMMENT ON FUNCTION search.text_index__keep_statistics() IS 'Postings gained or lost are noted as deltas, one appended row per lexeme and scope and statement; chunks that came are noted as recent. No row is hot.';

REVOKE ALL ON FUNCTION search.text_index__keep_statistics() FROM PUBLIC;
GRANT ALL ON FUNCTION search.text_index__keep_statistics() TO pgkb_ingest;
GRANT ALL ON FUNCTION search.text_index__keep_statistics() TO pgkb_admin;

CREATE FUNCTION search.vector_leg(query public.halfvec, set_id integer, scopes search.visible_scope[], statuses text[], tags text[] DEFAULT NULL::text[], candidates integer DEFAULT 50, floor double precision DEFAULT '-1'::integer, as_of date DEFAULT NULL::date) RETURNS search.vector_found
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 65cbac9e0894912b';

COMMENT ON FUNCTION search.vector_leg(query public.halfvec, set_id integer, scopes search.visible_scope[], statuses text[], tags text[], candidates integer, floor double precision, as_of date) IS 'The vector leg: the most similar visible chunks above the floor, filled to the limit whatever the filter''s selectivity; and how each scope was read.';

REVOKE ALL ON FUNCTION search.vector_leg(query public.halfvec, set_id integer, scopes search.visible_scope[], statuses text[], tags text[], candidates integer, floor double precision, as_of date) FROM PUBLIC;
GRANT ALL ON FUNCTION search.vector_leg(query public.halfvec, set_id integer, scopes search.visible_scope[], statuses text[], tags text[], candidates integer, floor double precision, as_of date) TO pgkb_admin;

CREATE FUNCTION search.visible_scopes(la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, principals text[] DEFAULT NULL::text[], everywhere boolean DEFAULT false) RETURNS SETOF search.visible_scope
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS 'sha256 da251170ae10224c';

COMMENT ON FUNCTION search.visible_scopes(la text, home_la text, urn text, principals text[], everywhere boolean) IS 'The scopes a caller may see, with their labels and sizes; with everywhere, all authorities instead of national only.';

REVOKE ALL ON FUNCTION search.visible_scopes(la text, home_la text, urn text, principals text[], everywhere boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION search.visible_scopes(la text, home_la text, urn text, principals text[], everywhere boolean) TO pgkb_admin;

CREATE FUNCTION search.weigh(hits search.ranked_hit[], scopes search.visible_scope[], topics text[] DEFAULT NULL::text[], on_day date DEFAULT CURRENT_DATE) RETURNS SETOF search.ranked_hit
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 cde43db23e4f4e57';

COMMENT ON FUNCTION search.weigh(hits search.ranked_hit[], scopes search.visible_scope[], topics text[], on_day date) IS 'Mild weights after fusion: freshness, kind of publisher, topic and local boosts; score = rrf_raw times all of them.';

REVOKE ALL ON FUNCTION search.weigh(hits search.ranked_hit[], scopes search.visible_scope[], topics text[], on_day date) FROM PUBLIC;
GRANT ALL ON FUNCTION search.weigh(hits search.ranked_hit[], scopes search.visible_scope[], topics text[], on_day date) TO pgkb_admin;

CREATE FUNCTION search.word_question(question text, viewer text DEFAULT NULL::text, OUT query_vec public.vector, OUT tsquery tsquery, OUT topics text[], OUT embedding_set text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 787a284317b42583';

COMMENT ON FUNCTION search.word_question(question text, viewer text, OUT query_vec public.vector, OUT tsquery tsquery, OUT topics text[], OUT embedding_set text) IS 'What search_kb needs of a question in words: its vector from the cache or the endpoint and the set that is of, its words with synonyms, its topics.';

REVOKE ALL ON FUNCTION search.word_question(question text, viewer text, OUT query_vec public.vector, OUT tsquery tsquery, OUT topics text[], OUT embedding_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION search.word_question(question text, viewer text, OUT query_vec public.vector, OUT tsquery tsquery, OUT topics text[], OUT embedding_set text) TO pgkb_admin;

CREATE TRIGGER text_index__keep_statistics_on_delete AFTER DELETE ON search.text_index REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION search.text_index__keep_statistics();

CREATE TRIGGER text_index__keep_statistics_on_insert AFTER INSERT ON search.text_index REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION search.text_index__keep_statistics();

CREATE SCHEMA terms;

COMMENT ON SCHEMA terms IS 'From the words of a question to the words of the documents.';

GRANT USAGE ON SCHEMA terms TO pgkb_app;
GRANT USAGE ON SCHEMA terms TO pgkb_ingest;
GRANT USAGE ON SCHEMA terms TO pgkb_admin;

CREATE TABLE terms.pack (
    pack text NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    loaded_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON COLUMN terms.pack.loaded_at IS 'When its words were last loaded.';

COMMENT ON COLUMN terms.pack.pack IS 'Name of the pack, e.g. send.';

COMMENT ON COLUMN terms.pack.revision IS 'Grows with every load: part of the key of the query cache.';

COMMENT ON TABLE terms.pack IS 'The packs whose words are loaded.';

GRANT SELECT ON TABLE terms.pack TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE terms.pack TO pgkb_ingest;
GRANT SELECT ON TABLE terms.pack TO pgkb_admin;

CREATE TABLE terms.synonym (
    synonym_id bigint NOT NULL,
    pack text NOT NULL,
    pattern text NOT NULL,
    unless text,
    phrases text NOT NULL,
    expansions text[] NOT NULL,
    citation text DEFAULT ''::text NOT NULL,
    caution text DEFAULT ''::text NOT NULL,
    required text[] GENERATED ALWAYS AS (terms.required_text(pattern)) STORED,
    CONSTRAINT synonym_expands_to_something CHECK ((cardinality(expansions) > 0))
);

COMMENT ON COLUMN terms.synonym.caution IS 'What a curator should know about it.';

COMMENT ON COLUMN terms.synonym.citation IS 'Where the term comes from.';

COMMENT ON COLUMN terms.synonym.expansions IS 'Terms to add to the question.';

COMMENT ON COLUMN terms.synonym.pack IS 'The pack it came with.';

COMMENT ON COLUMN terms.synonym.pattern IS 'Regular expression over the folded question; fires the row.';

COMMENT ON COLUMN terms.synonym.phrases IS 'What people say, for readers of the table.';

COMMENT ON COLUMN terms.synonym.required IS 'LIKE patterns one of which a question must fit before the pattern is tried; NULL: always tried.';

COMMENT ON COLUMN terms.synonym.synonym_id IS 'Key.';

COMMENT ON COLUMN terms.synonym.unless IS 'Regular expression that stops the row: the same word in another sense.';

COMMENT ON TABLE terms.synonym IS 'Phrases people use and the terms to add; what was typed is always kept.';

GRANT SELECT ON TABLE terms.synonym TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE terms.synonym TO pgkb_ingest;
GRANT SELECT ON TABLE terms.synonym TO pgkb_admin;

CREATE TABLE terms.topic (
    pack text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    pattern text NOT NULL,
    citation text DEFAULT ''::text NOT NULL,
    fact text DEFAULT ''::text NOT NULL,
    required text[] GENERATED ALWAYS AS (terms.required_text(pattern)) STORED,
    CONSTRAINT topic_slug_is_a_slug CHECK ((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text))
);

COMMENT ON COLUMN terms.topic.citation IS 'Where the rule comes from.';

COMMENT ON COLUMN terms.topic.fact IS 'The fact most asked for.';

COMMENT ON COLUMN terms.topic.name IS 'Name people read.';

COMMENT ON COLUMN terms.topic.pack IS 'The pack it came with.';

COMMENT ON COLUMN terms.topic.pattern IS 'Regular expression over the folded question; a question may have several topics.';

COMMENT ON COLUMN terms.topic.required IS 'LIKE patterns one of which a question must fit before the pattern is tried; NULL: always tried.';

COMMENT ON COLUMN terms.topic.slug IS 'The tag.';

COMMENT ON TABLE terms.topic IS 'What a question or a document can be about; a tag is one of these slugs.';

GRANT SELECT ON TABLE terms.topic TO pgkb_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE terms.topic TO pgkb_ingest;
GRANT SELECT ON TABLE terms.topic TO pgkb_admin;

ALTER TABLE terms.synonym ALTER COLUMN synonym_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME terms.synonym_synonym_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY terms.pack
    ADD CONSTRAINT pack_pk PRIMARY KEY (pack);

ALTER TABLE ONLY terms.synonym
    ADD CONSTRAINT synonym_once_per_pattern UNIQUE (pack, pattern);

ALTER TABLE ONLY terms.synonym
    ADD CONSTRAINT synonym_pk PRIMARY KEY (synonym_id);

ALTER TABLE ONLY terms.topic
    ADD CONSTRAINT topic_pk PRIMARY KEY (slug);

ALTER TABLE ONLY terms.synonym
    ADD CONSTRAINT synonym_pack_fk FOREIGN KEY (pack) REFERENCES terms.pack(pack) ON DELETE CASCADE;

ALTER TABLE ONLY terms.topic
    ADD CONSTRAINT topic_pack_fk FOREIGN KEY (pack) REFERENCES terms.pack(pack) ON DELETE CASCADE;

CREATE INDEX topic_pack_idx ON terms.topic USING btree (pack);

CREATE FUNCTION terms.build_tsquery(question text, expansions text[] DEFAULT NULL::text[]) RETURNS tsquery
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b9d20d5229781472';

COMMENT ON FUNCTION terms.build_tsquery(question text, expansions text[]) IS 'Any-term query of a question; words that only an expansion brought carry the label D. NULL when nothing can be searched for.';

REVOKE ALL ON FUNCTION terms.build_tsquery(question text, expansions text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.build_tsquery(question text, expansions text[]) TO pgkb_app;
GRANT ALL ON FUNCTION terms.build_tsquery(question text, expansions text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.build_tsquery(question text, expansions text[]) TO pgkb_admin;

CREATE FUNCTION terms.check_pattern(pattern text, owner text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 682bbbe13fbd6044';

COMMENT ON FUNCTION terms.check_pattern(pattern text, owner text) IS 'Refuse a regular expression that the server cannot run or that matches everything.';

REVOKE ALL ON FUNCTION terms.check_pattern(pattern text, owner text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.check_pattern(pattern text, owner text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.check_pattern(pattern text, owner text) TO pgkb_admin;

CREATE FUNCTION terms.check_rows(pack text, rows jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 27d276f7251d4db1';

COMMENT ON FUNCTION terms.check_rows(pack text, rows jsonb) IS 'Refuse what is no named pack with a list of objects, one for each row.';

REVOKE ALL ON FUNCTION terms.check_rows(pack text, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.check_rows(pack text, rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.check_rows(pack text, rows jsonb) TO pgkb_admin;

CREATE FUNCTION terms.count_tokens(lexemes tsvector) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 41ffd8055181d0b2';

COMMENT ON FUNCTION terms.count_tokens(lexemes tsvector) IS 'Length of a text for BM25: its tokens, stop words left out.';

REVOKE ALL ON FUNCTION terms.count_tokens(lexemes tsvector) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.count_tokens(lexemes tsvector) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.count_tokens(lexemes tsvector) TO pgkb_admin;

CREATE FUNCTION terms.expand_query(question text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 a4b7bb1121a928b5';

COMMENT ON FUNCTION terms.expand_query(question text) IS 'Terms to add to a question, from every synonym that fires; what was typed is kept by the caller.';

REVOKE ALL ON FUNCTION terms.expand_query(question text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.expand_query(question text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.expand_query(question text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.expand_query(question text) TO pgkb_admin;

CREATE FUNCTION terms.fold_text(content text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 4bc5a6e4931f7636';

COMMENT ON FUNCTION terms.fold_text(content text) IS 'One spelling for matching: lower case, NFKC, straight quotes, single spaces, no invisible characters, no line-end hyphens.';

REVOKE ALL ON FUNCTION terms.fold_text(content text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.fold_text(content text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.fold_text(content text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.fold_text(content text) TO pgkb_admin;

CREATE FUNCTION terms.identifiers(folded text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 a0f24cd4b05acdc2';

COMMENT ON FUNCTION terms.identifiers(folded text) IS 'Identifier tokens of a folded text: #s36 for section 36, #r5 for regulation 5, #p9.69 for paragraph 9.69, #inc-48211 for a case number.';

REVOKE ALL ON FUNCTION terms.identifiers(folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.identifiers(folded text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.identifiers(folded text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.identifiers(folded text) TO pgkb_admin;

CREATE FUNCTION terms.load_synonyms(pack text, rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 5aaaf3815e907702';

COMMENT ON FUNCTION terms.load_synonyms(pack text, rows jsonb) IS 'Replace the synonyms of a pack; returns how many there are.';

REVOKE ALL ON FUNCTION terms.load_synonyms(pack text, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.load_synonyms(pack text, rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.load_synonyms(pack text, rows jsonb) TO pgkb_admin;

CREATE FUNCTION terms.load_topics(pack text, rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b1886461a7402e8e';

COMMENT ON FUNCTION terms.load_topics(pack text, rows jsonb) IS 'Replace the topics of a pack; returns how many there are.';

REVOKE ALL ON FUNCTION terms.load_topics(pack text, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.load_topics(pack text, rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.load_topics(pack text, rows jsonb) TO pgkb_admin;

CREATE FUNCTION terms.open_pack(pack text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 bdbf0ce5c5fd4171';

COMMENT ON FUNCTION terms.open_pack(pack text) IS 'Note that the words of a pack change: its revision grows, so cached questions are not reused.';

REVOKE ALL ON FUNCTION terms.open_pack(pack text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.open_pack(pack text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.open_pack(pack text) TO pgkb_admin;

CREATE FUNCTION terms.prepare_text(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 98c4ef059d21db9a';

COMMENT ON FUNCTION terms.prepare_text(folded text) IS 'Folded text with section references, case numbers and slashed pairs spelled so that the parser splits them into words.';

REVOKE ALL ON FUNCTION terms.prepare_text(folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.prepare_text(folded text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.prepare_text(folded text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.prepare_text(folded text) TO pgkb_admin;

CREATE FUNCTION terms.quote_lexeme(lexeme text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'sha256 dc766ca85110d201';

COMMENT ON FUNCTION terms.quote_lexeme(lexeme text) IS 'A lexeme as it stands in the text of a tsquery: quoted, never parsed again.';

REVOKE ALL ON FUNCTION terms.quote_lexeme(lexeme text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.quote_lexeme(lexeme text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.quote_lexeme(lexeme text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.quote_lexeme(lexeme text) TO pgkb_admin;

CREATE FUNCTION terms.read_alternatives(tokens text[], INOUT place integer, OUT texts text[]) RETURNS record
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 a4c52576f94bb39d';

COMMENT ON FUNCTION terms.read_alternatives(tokens text[], INOUT place integer, OUT texts text[]) IS 'The part of terms.required_text for one group of a regular expression, from the token at place to its closing.';

REVOKE ALL ON FUNCTION terms.read_alternatives(tokens text[], INOUT place integer, OUT texts text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.read_alternatives(tokens text[], INOUT place integer, OUT texts text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.read_alternatives(tokens text[], INOUT place integer, OUT texts text[]) TO pgkb_admin;

CREATE FUNCTION terms.required_text(pattern text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 756efcd2be24abed';

COMMENT ON FUNCTION terms.required_text(pattern text) IS 'LIKE patterns one of which every text fits that the regular expression matches; NULL when nothing is sure. Longer texts are preferred: they fit fewer questions.';

REVOKE ALL ON FUNCTION terms.required_text(pattern text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.required_text(pattern text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.required_text(pattern text) TO pgkb_admin;

CREATE FUNCTION terms.stricter(one text[], other text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 8eb8e1770b0ddce9';

COMMENT ON FUNCTION terms.stricter(one text[], other text[]) IS 'Of two lists of texts the one whose shortest text is longer; NULL knows nothing.';

REVOKE ALL ON FUNCTION terms.stricter(one text[], other text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.stricter(one text[], other text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.stricter(one text[], other text[]) TO pgkb_admin;

CREATE FUNCTION terms.tags_of_names(names text[]) RETURNS TABLE(name text, slug text)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d5297b783154c91c';

COMMENT ON FUNCTION terms.tags_of_names(names text[]) IS 'The topic each name (of a folder) means, by slug or by name; NULL for a name that is no topic.';

REVOKE ALL ON FUNCTION terms.tags_of_names(names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.tags_of_names(names text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.tags_of_names(names text[]) TO pgkb_admin;

CREATE FUNCTION terms.to_index(content text) RETURNS tsvector
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 47c47901ca43e407';

COMMENT ON FUNCTION terms.to_index(content text) IS 'The lexemes of a text, stemmed, with its identifier tokens; the same for documents and questions.';

REVOKE ALL ON FUNCTION terms.to_index(content text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.to_index(content text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.to_index(content text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.to_index(content text) TO pgkb_admin;

CREATE FUNCTION terms.topics_for(question text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 b55c34c6df9a2247';

COMMENT ON FUNCTION terms.topics_for(question text) IS 'Topic slugs of a question, all that apply.';

REVOKE ALL ON FUNCTION terms.topics_for(question text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.topics_for(question text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.topics_for(question text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.topics_for(question text) TO pgkb_admin;

CREATE SCHEMA validation;

COMMENT ON SCHEMA validation IS 'Runs that judge documents by what the database knows of them, and every verdict with its reasons.';

GRANT USAGE ON SCHEMA validation TO pgkb_ingest;
GRANT USAGE ON SCHEMA validation TO pgkb_admin;

CREATE TABLE validation.batch (
    batch_id bigint NOT NULL,
    run_id bigint NOT NULL,
    "position" integer NOT NULL,
    document_ids bigint[] NOT NULL,
    judged_at timestamp with time zone,
    CONSTRAINT batch_is_not_too_large CHECK (((cardinality(document_ids) >= 1) AND (cardinality(document_ids) <= 50)))
);

COMMENT ON COLUMN validation.batch."position" IS 'Its place in the run, from 1.';

COMMENT ON COLUMN validation.batch.batch_id IS 'Key, and the subject of its task.';

COMMENT ON COLUMN validation.batch.document_ids IS 'Its documents, up to 50.';

COMMENT ON COLUMN validation.batch.judged_at IS 'When it was judged, all of it at once.';

COMMENT ON COLUMN validation.batch.run_id IS 'Its run.';

COMMENT ON TABLE validation.batch IS 'Documents of a run that are judged together; the task validate_batch of its batch_id stands for it.';

GRANT SELECT ON TABLE validation.batch TO pgkb_admin;

CREATE TABLE validation.run (
    run_id bigint NOT NULL,
    dry_run boolean NOT NULL,
    la_code text,
    threshold double precision NOT NULL,
    batches integer DEFAULT 0 NOT NULL,
    documents integer DEFAULT 0 NOT NULL,
    requested_by text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT run_threshold_is_a_share CHECK (((threshold >= (0)::double precision) AND (threshold <= (1)::double precision)))
);

COMMENT ON COLUMN validation.run.batches IS 'Into how many batches its documents were cut.';

COMMENT ON COLUMN validation.run.created_at IS 'When.';

COMMENT ON COLUMN validation.run.documents IS 'How many documents nobody had decided on.';

COMMENT ON COLUMN validation.run.dry_run IS 'Only verdicts, no decisions.';

COMMENT ON COLUMN validation.run.finished_at IS 'When its last batch was judged.';

COMMENT ON COLUMN validation.run.la_code IS 'Only documents of this authority; NULL is all.';

COMMENT ON COLUMN validation.run.requested_by IS 'Who asked for it.';

COMMENT ON COLUMN validation.run.run_id IS 'Key.';

COMMENT ON COLUMN validation.run.threshold IS 'Confidence from which a document is approved; below it is flagged.';

COMMENT ON TABLE validation.run IS 'One asking to judge what nobody has decided on: at most five of its batches are in the queue at a time.';

GRANT SELECT ON TABLE validation.run TO pgkb_admin;

CREATE TABLE validation.verdict (
    run_id bigint NOT NULL,
    document_id bigint NOT NULL,
    version_id bigint,
    verdict text NOT NULL,
    confidence double precision,
    parts jsonb DEFAULT '[]'::jsonb NOT NULL,
    changed integer DEFAULT 0 NOT NULL,
    reason text NOT NULL,
    judged_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT verdict_confidence_is_a_share CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT verdict_is_known CHECK ((verdict = ANY (ARRAY['approve'::text, 'flag'::text, 'leave'::text])))
);

COMMENT ON COLUMN validation.verdict.changed IS 'Passages that were decided on; none in a dry run.';

COMMENT ON COLUMN validation.verdict.confidence IS 'The product of its parts; NULL where it was left.';

COMMENT ON COLUMN validation.verdict.document_id IS 'The document.';

COMMENT ON COLUMN validation.verdict.judged_at IS 'When.';

COMMENT ON COLUMN validation.verdict.parts IS 'An object for each part: part, score from 0 to 1, explanation; see validation.weigh_version.';

COMMENT ON COLUMN validation.verdict.reason IS 'The verdict in a sentence.';

COMMENT ON COLUMN validation.verdict.run_id IS 'The run.';

COMMENT ON COLUMN validation.verdict.verdict IS 'approve, flag, or leave: nothing of it was to be decided.';

COMMENT ON COLUMN validation.verdict.version_id IS 'The version that was judged; NULL when none was published any more.';

COMMENT ON TABLE validation.verdict IS 'What a run came to for a document, and why. Whoever judges by other means writes here as well.';

GRANT SELECT ON TABLE validation.verdict TO pgkb_admin;

ALTER TABLE validation.batch ALTER COLUMN batch_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME validation.batch_batch_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE validation.run ALTER COLUMN run_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME validation.run_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY validation.batch
    ADD CONSTRAINT batch_once_per_position UNIQUE (run_id, "position");

ALTER TABLE ONLY validation.batch
    ADD CONSTRAINT batch_pk PRIMARY KEY (batch_id);

ALTER TABLE ONLY validation.run
    ADD CONSTRAINT run_pk PRIMARY KEY (run_id);

ALTER TABLE ONLY validation.verdict
    ADD CONSTRAINT verdict_pk PRIMARY KEY (run_id, document_id);

ALTER TABLE ONLY validation.batch
    ADD CONSTRAINT batch_run_fk FOREIGN KEY (run_id) REFERENCES validation.run(run_id) ON DELETE CASCADE;

ALTER TABLE ONLY validation.verdict
    ADD CONSTRAINT verdict_document_fk FOREIGN KEY (document_id) REFERENCES corpus.document(document_id) ON DELETE CASCADE;

ALTER TABLE ONLY validation.verdict
    ADD CONSTRAINT verdict_run_fk FOREIGN KEY (run_id) REFERENCES validation.run(run_id) ON DELETE CASCADE;

CREATE INDEX verdict_document_idx ON validation.verdict USING btree (document_id);

CREATE FUNCTION validation.family_of(la_code text) RETURNS text[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 0ad0f6f2a0031b89';

COMMENT ON FUNCTION validation.family_of(la_code text) IS 'Every code under which an authority''s documents may stand, also of one that was split; none for NULL.';

REVOKE ALL ON FUNCTION validation.family_of(la_code text) FROM PUBLIC;
GRANT ALL ON FUNCTION validation.family_of(la_code text) TO pgkb_admin;

CREATE FUNCTION validation.judge_batch(batch_id bigint, task_id bigint, lease_token uuid) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d3de910bcd5f0015';

COMMENT ON FUNCTION validation.judge_batch(batch_id bigint, task_id bigint, lease_token uuid) IS 'Judge the documents of a batch, decide unless the run is dry, and send the run''s next batch, in one step; how many verdicts, or NULL when somebody else has the task by now.';

REVOKE ALL ON FUNCTION validation.judge_batch(batch_id bigint, task_id bigint, lease_token uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION validation.judge_batch(batch_id bigint, task_id bigint, lease_token uuid) TO pgkb_ingest;
GRANT ALL ON FUNCTION validation.judge_batch(batch_id bigint, task_id bigint, lease_token uuid) TO pgkb_admin;

CREATE FUNCTION validation.judge_document(run validation.run, document_id bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 1f7c1f06261c3da8';

COMMENT ON FUNCTION validation.judge_document(run validation.run, document_id bigint) IS 'The verdict of a run on one document, carried out unless the run is dry.';

REVOKE ALL ON FUNCTION validation.judge_document(run validation.run, document_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION validation.judge_document(run validation.run, document_id bigint) TO pgkb_admin;

CREATE FUNCTION validation.list_verdicts(run_id bigint, only_verdict text DEFAULT NULL::text, after_confidence double precision DEFAULT NULL::double precision, after_document bigint DEFAULT NULL::bigint, page_size integer DEFAULT 50) RETURNS TABLE(document_id bigint, title text, source text, verdict text, confidence double precision, parts jsonb, changed integer, reason text, judged_at timestamp with time zone)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 d13fdf311f03397a';

COMMENT ON FUNCTION validation.list_verdicts(run_id bigint, only_verdict text, after_confidence double precision, after_document bigint, page_size integer) IS 'The verdicts of a run, the least sure first, a page at a time; the next page begins after the last one''s confidence and document.';

REVOKE ALL ON FUNCTION validation.list_verdicts(run_id bigint, only_verdict text, after_confidence double precision, after_document bigint, page_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION validation.list_verdicts(run_id bigint, only_verdict text, after_confidence double precision, after_document bigint, page_size integer) TO pgkb_admin;

CREATE FUNCTION validation.run_status(run bigint DEFAULT NULL::bigint) RETURNS TABLE(run_id bigint, dry_run boolean, la_code text, threshold double precision, requested_by text, created_at timestamp with time zone, finished_at timestamp with time zone, done boolean, batches integer, batches_judged integer, batches_stuck integer, documents integer, judged integer, approve integer, flag integer, leave integer, changed integer)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 c4127a50bc7d01e7';

COMMENT ON FUNCTION validation.run_status(run bigint) IS 'How far a run is, by default the last: its batches, its verdicts so far, and whether batches wait for a person.';

REVOKE ALL ON FUNCTION validation.run_status(run bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION validation.run_status(run bigint) TO pgkb_admin;

CREATE FUNCTION validation.start_run(dry_run boolean DEFAULT false, la text DEFAULT NULL::text, threshold double precision DEFAULT 0.75, actor text DEFAULT NULL::text, reason text DEFAULT NULL::text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e6358250d75e6598';

COMMENT ON FUNCTION validation.start_run(dry_run boolean, la text, threshold double precision, actor text, reason text) IS 'Ask for verdicts on every document with passages nobody has decided on, all of them or one authority''s; workers judge, five batches at a time; the number of the run.';

REVOKE ALL ON FUNCTION validation.start_run(dry_run boolean, la text, threshold double precision, actor text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION validation.start_run(dry_run boolean, la text, threshold double precision, actor text, reason text) TO pgkb_admin;

CREATE FUNCTION validation.weigh_version(version_id bigint) RETURNS TABLE(part text, score double precision, explanation text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS 'sha256 e6f5810af354f45f';

COMMENT ON FUNCTION validation.weigh_version(version_id bigint) IS 'What the database knows for and against a text, in parts: each a score from 0 to 1 and a sentence. Their product is the confidence.';

REVOKE ALL ON FUNCTION validation.weigh_version(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION validation.weigh_version(version_id bigint) TO pgkb_admin;
