-- Derived from the files beside it by: python -m db snapshot
-- Never edited, never run: it shows in review what a change does to the database.
-- Functions that require plpython3u are left out, because not every server has them.

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
    detail jsonb DEFAULT '{}'::jsonb NOT NULL
);

COMMENT ON COLUMN audit.event.actor IS 'Who: the person named by the caller, else the database role.';

COMMENT ON COLUMN audit.event.at IS 'When.';

COMMENT ON COLUMN audit.event.detail IS 'The facts; never the text of a question.';

COMMENT ON COLUMN audit.event.event_id IS 'Key; grows with time.';

COMMENT ON COLUMN audit.event.kind IS 'What, e.g. la_coverage_miss, status_changed, superseded.';

COMMENT ON COLUMN audit.event.subject IS 'What it was done to, e.g. chunk 12.';

COMMENT ON TABLE audit.event IS 'One row per decision that somebody may have to explain later; never changed.';

GRANT SELECT(event_id) ON TABLE audit.event TO pgkb_app;
GRANT SELECT(event_id) ON TABLE audit.event TO pgkb_ingest;

GRANT INSERT ON TABLE audit.event TO pgkb_app;
GRANT INSERT ON TABLE audit.event TO pgkb_ingest;
GRANT SELECT,INSERT ON TABLE audit.event TO pgkb_admin;

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

CREATE INDEX event_kind_at_idx ON audit.event USING btree (kind, at);

CREATE FUNCTION audit.write_event(kind text, subject text, detail jsonb DEFAULT '{}'::jsonb, actor text DEFAULT NULL::text) RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    insert into audit.event (kind, subject, detail, actor)
    values (
        write_event.kind,
        write_event.subject,
        coalesce(write_event.detail, '{}'),
        coalesce(write_event.actor, session_user)
    )
    returning event_id;
$$;

COMMENT ON FUNCTION audit.write_event(kind text, subject text, detail jsonb, actor text) IS 'Note who did what to what; never the text of a question.';

REVOKE ALL ON FUNCTION audit.write_event(kind text, subject text, detail jsonb, actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION audit.write_event(kind text, subject text, detail jsonb, actor text) TO pgkb_app;
GRANT ALL ON FUNCTION audit.write_event(kind text, subject text, detail jsonb, actor text) TO pgkb_ingest;
GRANT ALL ON FUNCTION audit.write_event(kind text, subject text, detail jsonb, actor text) TO pgkb_admin;

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
    AS $_$
declare
    _setting config.setting;
    _number numeric;
    _legal text;
    _ok boolean := true;
begin
    select s.* into _setting from config.setting as s where s.name = check_value.name;
    if not found then
        raise exception 'there is no setting %', check_value.name
            using errcode = 'ST001', hint = 'See: select * from config.settings;';
    end if;
    if check_value.value is null then
        return;
    end if;
    case _setting.kind
        when 'number', 'integer' then
            _legal := format(
                'a %s from %s to %s', _setting.kind, _setting.minimum, _setting.maximum
            );
            _ok := check_value.value ~ case
                when _setting.kind = 'integer' then '^[+-]?[0-9]{1,18}$'
                else '^[+-]?([0-9]{1,18}(\.[0-9]{0,18})?|\.[0-9]{1,18})$'
            end;
            if _ok then
                _number := check_value.value::numeric;
                _ok := _number >= coalesce(_setting.minimum, _number)
                    and _number <= coalesce(_setting.maximum, _number);
            end if;
        when 'boolean' then
            _legal := 'on or off';
            _ok := lower(check_value.value)
                in ('on', 'off', 'true', 'false', 'yes', 'no', '1', '0');
        when 'list' then
            _legal := 'a comma-separated list of ' || array_to_string(_setting.choices, ', ');
            _ok := regexp_split_to_array(check_value.value, '\s*,\s*') <@ _setting.choices;
        else
            _legal := coalesce('one of ' || array_to_string(_setting.choices, ', '), 'a word');
            _ok := check_value.value = any(_setting.choices)
                or (_setting.choices is null and check_value.value ~ '\S');
    end case;
    if _setting.name = 'kb.text_config' then
        _legal := 'a text search configuration: select cfgname from pg_ts_config';
        _ok := exists (
            select
            from pg_ts_config as c
            inner join pg_namespace as n on c.cfgnamespace = n.oid
            where
                lower(check_value.value) = n.nspname || '.' || c.cfgname
                or (n.nspname = 'pg_catalog' and lower(check_value.value) = c.cfgname)
        );
    end if;
    if not _ok then
        raise exception '% cannot be "%"', _setting.name, left(check_value.value, 60)
            using errcode = 'ST002',
                  detail = _setting.meaning,
                  hint = format('Give %s.', _legal);
    end if;
end;
$_$;

COMMENT ON FUNCTION config.check_value(name text, value text) IS 'Refuse a value that a setting cannot have, saying what it can.';

REVOKE ALL ON FUNCTION config.check_value(name text, value text) FROM PUBLIC;
GRANT ALL ON FUNCTION config.check_value(name text, value text) TO pgkb_app;
GRANT ALL ON FUNCTION config.check_value(name text, value text) TO pgkb_ingest;
GRANT ALL ON FUNCTION config.check_value(name text, value text) TO pgkb_admin;

CREATE FUNCTION config.install_setting(name text, value text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _size text;
begin
    perform config.check_value(install_setting.name, install_setting.value);
    update config.setting as s
    set installed_value = install_setting.value
    where
        s.name = install_setting.name
        and s.installed_value is distinct from install_setting.value;
    if found then
        -- these three only work together: better refused now than at the next document
        select z.size into _size
        from (
            select
                max(v.value) filter (where v.name = 'kb.chunk_size') as size,
                max(v.value) filter (where v.name = 'kb.chunk_overlap') as overlap,
                max(v.value) filter (where v.name = 'kb.chunk_minimum') as minimum
            from (
                select s.name, coalesce(s.installed_value, s.default_value)::numeric as value
                from config.setting as s
                where s.name in ('kb.chunk_size', 'kb.chunk_overlap', 'kb.chunk_minimum')
            ) as v
        ) as z
        where z.overlap >= z.size or z.minimum > z.size;
        if found then
            raise exception '% cannot be "%"', install_setting.name, install_setting.value
                using errcode = 'ST002',
                      detail = format('The chunk size would be %s.', _size),
                      hint = 'kb.chunk_overlap must be less than kb.chunk_size, '
                          || 'and kb.chunk_minimum not more.';
        end if;
        perform audit.write_event(
            'setting_changed', install_setting.name,
            jsonb_build_object('value', install_setting.value)
        );
    end if;
end;
$$;

COMMENT ON FUNCTION config.install_setting(name text, value text) IS 'Give a setting a value for this whole database; NULL goes back to the default.';

REVOKE ALL ON FUNCTION config.install_setting(name text, value text) FROM PUBLIC;
GRANT ALL ON FUNCTION config.install_setting(name text, value text) TO pgkb_admin;

CREATE FUNCTION config.value(name text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _setting config.setting;
    _value text;
begin
    select s.* into _setting from config.setting as s where s.name = value.name;
    if not found then
        raise exception 'there is no setting %', value.name
            using errcode = 'ST001', hint = 'See: select * from config.settings;';
    end if;
    _value := coalesce(
        nullif(current_setting(_setting.name, true), ''),
        _setting.installed_value,
        _setting.default_value
    );
    if _value is distinct from _setting.default_value then
        perform config.check_value(_setting.name, _value);
    end if;
    return _value;
end;
$$;

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
    CONSTRAINT chunk_content_not_blank CHECK ((content ~ '\S'::text))
);

COMMENT ON COLUMN corpus.chunk.chunk_id IS 'Key; a citation names it.';

COMMENT ON COLUMN corpus.chunk.chunk_index IS 'Counts from 0 within the version.';

COMMENT ON COLUMN corpus.chunk.content IS 'The passage, word for word.';

COMMENT ON COLUMN corpus.chunk.content_hash IS 'SHA-256 of the content: equal passages collapse in an answer.';

COMMENT ON COLUMN corpus.chunk.document_id IS 'Its document, copied so that a search needs no join for it.';

COMMENT ON COLUMN corpus.chunk.embedding_hash IS 'SHA-256 of title and content as sent to the model: equal ones reuse the stored vector.';

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

GRANT UPDATE(quality_score) ON TABLE corpus.chunk_fact TO pgkb_admin;

GRANT UPDATE(reviewed_at) ON TABLE corpus.chunk_fact TO pgkb_admin;

GRANT UPDATE(reviewed_by) ON TABLE corpus.chunk_fact TO pgkb_admin;

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
    CONSTRAINT document_source_not_empty CHECK ((source <> ''::text))
);

COMMENT ON COLUMN corpus.document.created_at IS 'When it was first added.';

COMMENT ON COLUMN corpus.document.document_id IS 'Key.';

COMMENT ON COLUMN corpus.document.scope_id IS 'Who may see it; never changes.';

COMMENT ON COLUMN corpus.document.source IS 'Address or file name it came from.';

COMMENT ON COLUMN corpus.document.source_family IS 'Host of an address, or upload: only documents of one family supersede each other by title.';

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

COMMENT ON COLUMN corpus.version.withdrawn_on IS 'The day its source stopped saying it and said what another source says; NULL when a version of its own document or title took over.';

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

CREATE FUNCTION corpus.check_rank(authority text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if check_rank.authority is not null
        and not exists (
            select from corpus.authority_rank as r where r.authority = check_rank.authority
        )
    then
        raise exception 'publisher kind "%" is not known', left(check_rank.authority, 40)
            using errcode = 'KB004',
                  hint = coalesce(
                      'Give one of ' || (
                          select string_agg(r.authority, ', ' order by r.weight desc)
                          from corpus.authority_rank as r
                      ) || '.',
                      'Load a pack first: pgkb pack load packs/send'
                  );
    end if;
end;
$$;

COMMENT ON FUNCTION corpus.check_rank(authority text) IS 'Refuse a kind of publisher that no pack names.';

REVOKE ALL ON FUNCTION corpus.check_rank(authority text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.check_rank(authority text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.check_rank(authority text) TO pgkb_admin;

CREATE FUNCTION corpus.check_tags(tags text[]) RETURNS text[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _unknown text;
    _tags text[];
begin
    select coalesce(array_agg(distinct t.tag order by t.tag), '{}') into _tags
    from (select lower(btrim(u.tag)) as tag from unnest(check_tags.tags) as u (tag)) as t
    where t.tag <> '';
    select t.tag into _unknown
    from unnest(_tags) as t (tag)
    where not exists (select from terms.topic as p where p.slug = t.tag)
    limit 1;
    if found then
        raise exception 'tag "%" is not known', left(_unknown, 60)
            using errcode = 'KB002',
                  detail = 'A tag is the slug of a topic of a loaded pack.',
                  hint = 'Look it up: select slug, name from terms.topic order by slug;';
    end if;
    return _tags;
end;
$$;

COMMENT ON FUNCTION corpus.check_tags(tags text[]) IS 'The tags, trimmed, sorted and each once; refuse one that is not a topic.';

REVOKE ALL ON FUNCTION corpus.check_tags(tags text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.check_tags(tags text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.check_tags(tags text[]) TO pgkb_admin;

CREATE FUNCTION corpus.chunk_fact__check_transition() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not (
        old.status = new.status
        or (old.status = 'pending' and new.status in ('approved', 'rejected', 'flagged', 'superseded'))
        or (old.status = 'approved' and new.status in ('rejected', 'flagged', 'superseded'))
        or (old.status = 'flagged' and new.status in ('approved', 'rejected', 'pending'))
        or (old.status = 'rejected' and new.status in ('pending', 'approved'))
    ) then
        raise exception 'chunk % cannot go from % to %', old.chunk_id, old.status, new.status
            using errcode = 'KB013',
                  hint = 'pending -> approved, rejected, flagged; approved -> rejected, flagged; '
                      || 'flagged -> approved, rejected, pending; rejected -> pending, approved.';
    end if;
    if new.status = 'superseded' and old.status <> 'superseded' then
        new.status_before := old.status;
    end if;
    return new;
end;
$$;

COMMENT ON FUNCTION corpus.chunk_fact__check_transition() IS 'A validation state moves only along allowed edges; superseded is final, and remembers the one before.';

REVOKE ALL ON FUNCTION corpus.chunk_fact__check_transition() FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.chunk_fact__check_transition() TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.chunk_fact__check_transition() TO pgkb_admin;

CREATE FUNCTION corpus.chunk_text(body text, size integer DEFAULT NULL::integer, overlap integer DEFAULT NULL::integer, minimum integer DEFAULT NULL::integer) RETURNS TABLE(chunk_index integer, start_at integer, content text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _size integer := coalesce(chunk_text.size, config.value('kb.chunk_size')::integer);
    _overlap integer := coalesce(chunk_text.overlap, config.value('kb.chunk_overlap')::integer);
    _minimum integer := coalesce(chunk_text.minimum, config.value('kb.chunk_minimum')::integer);
    _low integer;      -- a passage is at least this long
    _high integer;     -- and at most this
    _bytes bytea := convert_to(chunk_text.body, 'UTF8');
    _length integer := octet_length(_bytes);
    _read integer := 0;           -- bytes already in the buffer
    _upto integer;
    _buffer text := '';
    _buffer_start integer := 0;   -- characters of the body before the buffer
    _at integer := 1;             -- where the passage starts in the buffer
    _left integer;
    _window text;
    _cut integer;
    _next integer;
    _step integer;
    _index integer := 0;
    _pending text;                -- last passage, held back because the tail may join it
    _pending_start integer;
    _covered integer := 0;        -- characters of the body already looked at
    _end integer;                 -- characters of the body up to the end of this passage
    _fresh text;                  -- what this passage adds to the one before
begin
    if _size not between 10 and 100000 or _overlap < 0 or _overlap >= _size or _minimum < 0
        or _minimum > _size
    then
        raise exception 'chunk size %, overlap % and minimum % cannot work',
            _size, _overlap, _minimum
            using errcode = 'KB005',
                  detail = 'Each passage must move forward by at least one character.',
                  hint = 'Choose 10 <= size <= 100000, 0 <= overlap < size, 0 <= minimum <= size.';
    end if;
    if chunk_text.body !~ '\S' then
        return;
    end if;
    -- forward by a tenth of the size at least, or the number of passages would explode
    _low := least(_size, greatest((_size + 1) / 2, _overlap + greatest(1, _size / 10)));
    _high := _size + _size / 2;

    loop
        while _read < _length and length(_buffer) - _at + 1 <= 2 * _high loop
            _upto := least(_length, _read + greatest(4000, 2 * _high));
            -- a block ends between characters
            while _upto < _length and get_byte(_bytes, _upto) & 192 = 128 loop
                _upto := _upto - 1;
            end loop;
            _buffer_start := _buffer_start + _at - 1;
            _buffer := substr(_buffer, _at)
                || convert_from(substr(_bytes, _read + 1, _upto - _read), 'UTF8');
            _at := 1;
            _read := _upto;
        end loop;
        _left := length(_buffer) - _at + 1;
        exit when _left <= 0;

        if _read = _length and _left <= _size then
            _cut := _left;
        else
            _window := substr(_buffer, _at, _high);
            _cut := corpus.find_break(_window, _size, _low);
        end if;

        _end := _buffer_start + _at - 1 + _cut;
        _fresh := substr(_buffer, _covered - _buffer_start + 1, _end - _covered);
        if _pending is not null and _fresh ~ '\S' then
            if _read = _length and _cut = _left
                and _covered = _pending_start + length(_pending)
                and length(btrim(_fresh, E' \t\r\n\f\u00a0')) < _minimum
            then
                -- the tail has too little new text to stand alone
                _pending := _pending || _fresh;
                exit;
            end if;
            chunk_index := _index;
            start_at := _pending_start + length(_pending) - length(ltrim(_pending, E' \t\r\n\f'));
            content := btrim(_pending, E' \t\r\n\f');
            if content ~ '\S' then
                return next;
                _index := _index + 1;
            end if;
            _pending := null;
        end if;
        -- a stretch of white space is no passage of its own, and joins none
        if _pending is null then
            _pending := substr(_buffer, _at, _cut);
            _pending_start := _buffer_start + _at - 1;
        end if;
        _covered := _end;
        exit when _read = _length and _cut >= _left;

        -- start the next passage at a word, not inside one; never at a combining mark
        _next := _at + _cut - _overlap;
        if _overlap > 0 then
            _step := coalesce(
                length(substring(substr(_buffer, _next - 1, _overlap / 2 + 1) from '^\S*\s+')), 1
            ) - 1;
            _next := _next + greatest(0, _step);
            while _next > _at + 1
                and substr(_buffer, _next, 1) ~ E'[\u0300-\u036f\u200d\ufe0f]'
            loop
                _next := _next - 1;
            end loop;
        end if;
        _at := greatest(_at + 1, _next);
    end loop;

    chunk_index := _index;
    start_at := _pending_start + length(_pending) - length(ltrim(_pending, E' \t\r\n\f'));
    content := btrim(_pending, E' \t\r\n\f');
    if content ~ '\S' then
        return next;
    end if;
end;
$$;

COMMENT ON FUNCTION corpus.chunk_text(body text, size integer, overlap integer, minimum integer) IS 'Cut a text into overlapping passages at paragraph, else sentence, else word ends; nothing is lost.';

REVOKE ALL ON FUNCTION corpus.chunk_text(body text, size integer, overlap integer, minimum integer) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.chunk_text(body text, size integer, overlap integer, minimum integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.chunk_text(body text, size integer, overlap integer, minimum integer) TO pgkb_admin;

CREATE FUNCTION corpus.content_hash(content text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select sha256(convert_to(
        btrim(regexp_replace(normalize(content_hash.content, nfc), '\s+', ' ', 'g')), 'UTF8'
    ));
$$;

COMMENT ON FUNCTION corpus.content_hash(content text) IS 'SHA-256 over the text with white space and Unicode form normalised: the same words give the same hash.';

REVOKE ALL ON FUNCTION corpus.content_hash(content text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.content_hash(content text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.content_hash(content text) TO pgkb_admin;

CREATE FUNCTION corpus.discard_abandoned(older_than interval DEFAULT '1 day'::interval) RETURNS integer
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(sum(corpus.discard_version(v.version_id)::integer), 0)::integer
    from corpus.version as v
    left join queue.task as t on t.kind = 'publish_version' and t.subject_id = v.version_id
    where
        v.state = 'staged'
        and v.staged_at < now() - discard_abandoned.older_than
        and (t.task_id is null or t.dead);
$$;

COMMENT ON FUNCTION corpus.discard_abandoned(older_than interval) IS 'Remove staged versions that nobody will finish: given up, or without a task for a day; returns how many.';

REVOKE ALL ON FUNCTION corpus.discard_abandoned(older_than interval) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.discard_abandoned(older_than interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.discard_abandoned(older_than interval) TO pgkb_admin;

CREATE FUNCTION corpus.discard_version(version_id bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _document_id bigint;
begin
    -- a text of this source that is being staged now must not lose its document
    perform pg_advisory_xact_lock(hashtextextended(d.scope_id || ' ' || d.source, 2))
    from corpus.version as v
    inner join corpus.document as d on v.document_id = d.document_id
    where v.version_id = discard_version.version_id and v.state = 'staged';
    delete from corpus.version as v
    where v.version_id = discard_version.version_id and v.state = 'staged'
    returning v.document_id into _document_id;
    if not found then
        return false;
    end if;
    delete from queue.task as t
    where t.kind = 'publish_version' and t.subject_id = discard_version.version_id;
    delete from corpus.document as d
    where
        d.document_id = _document_id
        and not exists (select from corpus.version as v where v.document_id = d.document_id);
    return true;
end;
$$;

COMMENT ON FUNCTION corpus.discard_version(version_id bigint) IS 'Remove a staged version and its task; a published or superseded one is never removed.';

REVOKE ALL ON FUNCTION corpus.discard_version(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.discard_version(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.discard_version(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.find_break(passage_window text, size integer, low integer) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _head text := substr(passage_window, low + 1, size - low);
    _before text := reverse(_head);
    _after text := substr(passage_window, size + 1);
    _back integer;
    _forward integer;
    _astride integer;  -- characters before the size that a break across it may begin with
begin
    if length(passage_window) <= size then
        return length(passage_window);
    end if;
    -- the text before the size is searched from its end: the first match is the nearest break
    for _kind in 1..3 loop
        case _kind
            when 1 then
                _back := nullif(regexp_instr(_before, '\n[ \t\r\n]*\n'), 0);
                _astride := length(_head) - length(rtrim(_head, E' \t\r\n'));
                _forward := nullif(regexp_instr(
                    right(_head, _astride) || _after, '\n[ \t\r\n]*\n', 1, 1, 1
                ), 0) - 1 - _astride;
                if _forward <= 0 then
                    _forward := nullif(regexp_instr(_after, '\n[ \t\r\n]*\n', 1, 1, 1), 0) - 1;
                end if;
            when 2 then
                _back := nullif(regexp_instr(_before, '\s["'')\]]*[.!?]'), 0);
                _astride := length(_head) - length(rtrim(_head, '.!?"'')]'));
                _forward := nullif(regexp_instr(
                    right(_head, _astride) || _after, '[.!?]["'')\]]*\s', 1, 1, 1
                ), 0) - 1 - _astride;
            else
                _back := nullif(regexp_instr(_before, '\s'), 0);
                _forward := nullif(regexp_instr(_after, '\s'), 0);
        end case;
        continue when _back is null and _forward is null;
        if _forward is null or (_back is not null and _back - 1 <= _forward) then
            return size - _back + 1;
        end if;
        return size + _forward;
    end loop;
    -- no white space at all: never between a letter and its combining marks
    _forward := size;
    while _forward > low
        and substr(passage_window, _forward + 1, 1) ~ E'[\u0300-\u036f\u200d\ufe0f]'
    loop
        _forward := _forward - 1;
    end loop;
    return _forward;
end;
$$;

COMMENT ON FUNCTION corpus.find_break(passage_window text, size integer, low integer) IS 'Length of the best passage at the start of a window: the break nearest to the size that is not before low.';

REVOKE ALL ON FUNCTION corpus.find_break(passage_window text, size integer, low integer) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.find_break(passage_window text, size integer, low integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.find_break(passage_window text, size integer, low integer) TO pgkb_admin;

CREATE FUNCTION corpus.lay_timeline(document_id bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with family_version as materialized (
        select v.*
        from corpus.document as d
        inner join corpus.document as o on d.scope_id = o.scope_id
        inner join corpus.version as v on o.document_id = v.document_id
        where
            d.document_id = lay_timeline.document_id
            and o.source_family = d.source_family
            and v.state in ('published', 'superseded')
            and v.title_key in (
                select t.title_key
                from corpus.version as t
                where t.document_id = lay_timeline.document_id
            )
    ),

    title_line as (
        select
            f.version_id,
            lead(f.valid_from) over (
                partition by f.title_key order by f.valid_from, f.version_id
            ) as next_from,
            max(f.valid_from) filter (where f.state = 'published') over (
                partition by f.title_key
            ) as live_from
        from family_version as f
    ),

    document_line as (
        select
            v.*,
            lead(v.valid_from) over (
                partition by v.document_id order by v.valid_from, v.version_id
            ) as next_from,
            max(v.valid_from) filter (where v.state = 'published') over (
                partition by v.document_id
            ) as live_from
        from corpus.version as v
        where
            v.state in ('published', 'superseded')
            and v.document_id in (
                select f.document_id
                from family_version as f
                union
                select lay_timeline.document_id
            )
    ),

    line as (
        select
            d.version_id,
            case
                when d.state <> 'published' then greatest(
                    d.valid_from,
                    least(
                        d.next_from,
                        t.next_from,
                        d.withdrawn_on,
                        case
                            when least(d.live_from, t.live_from) <= d.valid_from then d.valid_from
                        end,
                        case
                            when coalesce(d.live_from, t.live_from, d.withdrawn_on) is null
                                then coalesce(s.valid_from, d.valid_to)
                        end
                    )
                )
            end as valid_to
        from document_line as d
        left join title_line as t on d.version_id = t.version_id
        left join corpus.version as s on d.superseded_by = s.version_id
        -- a version of another title of another document is in no line that changed
        where d.document_id = lay_timeline.document_id or t.version_id is not null
    )

    update corpus.version as v
    set valid_to = l.valid_to
    from line as l
    where v.version_id = l.version_id and v.valid_to is distinct from l.valid_to;
$$;

COMMENT ON FUNCTION corpus.lay_timeline(document_id bigint) IS 'Set until when each version of a document and of its titles was in force: on any day one of them is, whatever the order they came in.';

REVOKE ALL ON FUNCTION corpus.lay_timeline(document_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.lay_timeline(document_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.lay_timeline(document_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.load_domains(pack text, rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _authority text;
begin
    perform terms.check_rows(load_domains.pack, load_domains.rows);
    if exists (
        select from jsonb_to_recordset(load_domains.rows) as r (domain text)
        where coalesce(r.domain, '') !~ '\S'
    ) then
        raise exception 'a web site of pack "%" has no name', left(load_domains.pack, 60)
            using errcode = 'TE004', hint = 'Give each row its domain.';
    end if;
    perform terms.open_pack(load_domains.pack);
    for _authority in
        select distinct r.authority
        from jsonb_to_recordset(load_domains.rows) as r (domain text, authority text)
    loop
        perform corpus.check_rank(coalesce(_authority, ''));
    end loop;
    delete from corpus.domain as d where d.pack = load_domains.pack;
    insert into corpus.domain (domain, pack, authority)
    -- with and without www it is one site: the first row counts
    select distinct on (d.domain) d.domain, load_domains.pack, d.authority
    from (
        select
            regexp_replace(lower(btrim(r.value ->> 'domain')), '^www\.', '') as domain,
            r.value ->> 'authority' as authority,
            r.n
        from jsonb_array_elements(load_domains.rows) with ordinality as r (value, n)
    ) as d
    order by d.domain, d.n
    on conflict (domain) do update set pack = excluded.pack, authority = excluded.authority;
    return jsonb_array_length(load_domains.rows);
end;
$$;

COMMENT ON FUNCTION corpus.load_domains(pack text, rows jsonb) IS 'Replace the national web sites of a pack; returns how many there are.';

REVOKE ALL ON FUNCTION corpus.load_domains(pack text, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.load_domains(pack text, rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.load_domains(pack text, rows jsonb) TO pgkb_admin;

CREATE FUNCTION corpus.load_ranks(pack text, rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _bad text;
begin
    perform terms.check_rows(load_ranks.pack, load_ranks.rows);
    select r.authority into _bad
    from jsonb_to_recordset(load_ranks.rows) as r (authority text, weight text)
    where
        coalesce(r.authority, '') !~ '\S'
        or case
            when r.weight ~ '^[0-9](\.[0-9]{1,20})?$' then r.weight::numeric not between 0.5 and 2
            else true
        end
    limit 1;
    if found then
        raise exception 'the weight of "%" is not usable', left(coalesce(_bad, ''), 60)
            using errcode = 'KB008', hint = 'Give each kind of publisher a weight from 0.5 to 2.';
    end if;
    select r.authority into _bad
    from jsonb_to_recordset(load_ranks.rows) as r (authority text)
    group by r.authority
    having count(*) > 1
    limit 1;
    if found then
        raise exception 'the weight of "%" stands in two rows', left(_bad, 60)
            using errcode = 'KB008', hint = 'Give each kind of publisher one weight.';
    end if;
    perform terms.open_pack(load_ranks.pack);
    insert into corpus.authority_rank (authority, pack, weight, meaning)
    select r.authority, load_ranks.pack, r.weight, coalesce(r.meaning, '')
    from jsonb_to_recordset(load_ranks.rows) as r (
        authority text, weight double precision, meaning text
    )
    on conflict (authority) do update set
        pack = excluded.pack, weight = excluded.weight, meaning = excluded.meaning;
    return jsonb_array_length(load_ranks.rows);
end;
$_$;

COMMENT ON FUNCTION corpus.load_ranks(pack text, rows jsonb) IS 'Set how much each kind of publisher weighs; returns how many there are.';

REVOKE ALL ON FUNCTION corpus.load_ranks(pack text, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.load_ranks(pack text, rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.load_ranks(pack text, rows jsonb) TO pgkb_admin;

CREATE FUNCTION corpus.lock_facts(chunk_ids bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _unknown bigint;
begin
    perform from corpus.chunk_fact as f
    where f.chunk_id = any(lock_facts.chunk_ids)
    order by f.chunk_id
    for update;
    select u.id into _unknown
    from unnest(lock_facts.chunk_ids) as u (id)
    where not exists (select from corpus.chunk_fact as f where f.chunk_id = u.id)
    limit 1;
    if found then
        raise exception 'there is no published chunk %', _unknown
            using errcode = 'KB014', hint = 'See: select id, source from knowledge_base;';
    end if;
end;
$$;

COMMENT ON FUNCTION corpus.lock_facts(chunk_ids bigint[]) IS 'Lock the facts of chunks against other deciders, always in one order so that no two can deadlock; refuse an unknown chunk.';

REVOKE ALL ON FUNCTION corpus.lock_facts(chunk_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.lock_facts(chunk_ids bigint[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.lock_facts(chunk_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION corpus.publish_version(version_id bigint) RETURNS TABLE(document_id bigint, version integer, superseded_documents bigint[])
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    _new corpus.version;
    _document corpus.document;
    _active embedding.set;
    _missing bigint;
    _key text;
    _rivals bigint[];
    _winner bigint;
begin
    -- the set must not change between the look for missing vectors and the commit
    perform pg_advisory_xact_lock_shared(hashtextextended('embedding.activate', 4));
    _active := embedding.active_set();
    select v.* into _new from corpus.version as v where v.version_id = publish_version.version_id;
    select d.* into _document from corpus.document as d where d.document_id = _new.document_id;

    for _key in
        select distinct v.title_key
        from corpus.version as v
        where v.document_id = _new.document_id and v.title_key is not null
        order by v.title_key
    loop
        perform pg_advisory_xact_lock(
            hashtextextended(_document.scope_id || _document.source_family || ' ' || _key, 3)
        );
    end loop;
    perform from corpus.document as d where d.document_id = _new.document_id for update;
    select v.* into _new
    from corpus.version as v
    where v.version_id = publish_version.version_id
    for update;
    if not found then
        raise exception 'there is no version %', publish_version.version_id
            using errcode = 'KB009', hint = 'It may have been discarded; stage the document again.';
    end if;

    superseded_documents := '{}';
    document_id := _new.document_id;
    version := _new.version;
    if _new.state <> 'staged' then
        return next;
        return;
    end if;

    select count(*) into _missing
    from corpus.chunk as c
    where
        c.version_id = _new.version_id
        and not exists (
            select
            from embedding.cold_vector as k
            where k.set_id = _active.set_id and k.chunk_id = c.chunk_id
        );
    if _missing > 0 then
        raise exception '% chunks of version % have no vector in set %',
            _missing, _new.version_id, _active.name
            using errcode = 'KB010', hint = 'Embed them first: embedding.chunks_to_embed.';
    end if;

    -- the newer by effective date wins, whatever the order of arrival; where dates do not say,
    -- the later version of a document
    select
        array_agg(w.version_id order by w.version_id) filter (where not w.wins),
        (array_agg(w.version_id order by w.effective_date desc nulls last, w.version_id desc)
            filter (where w.wins))[1]
    into _rivals, _winner
    from (
        select
            r.version_id,
            r.effective_date,
            coalesce(r.effective_date > _new.effective_date, false)
            or (
                r.document_id = _new.document_id
                and r.version > _new.version
                and coalesce(r.effective_date >= _new.effective_date, true)
            ) as wins
        from corpus.rivals_of(_new.version_id) as r
    ) as w;

    insert into corpus.chunk_fact
        (chunk_id, scope_id, status, status_before, tags, quality_score)
    select
        c.chunk_id, c.scope_id,
        case
            when earlier.status in ('rejected', 'flagged') then earlier.status
            when _winner is not null then 'superseded'
            else 'pending'
        end,
        case
            when earlier.status in ('rejected', 'flagged') then null
            when _winner is not null then 'pending'
        end,
        _new.tags,
        corpus.quality_score(
            length(c.content), _new.file_type, cardinality(_new.tags),
            config.value('kb.chunk_size')::integer
        )
    from corpus.chunk as c
    -- a passage that a curator took out stays out when the next version repeats it
    left join lateral (
        select f.status
        from corpus.chunk as p
        inner join corpus.chunk_fact as f on p.chunk_id = f.chunk_id
        where
            p.document_id = c.document_id
            and p.content_hash = c.content_hash
            and p.version_id <> c.version_id
        order by p.version_id desc
        limit 1
    ) as earlier on true
    where c.version_id = _new.version_id;

    update corpus.version as v
    set
        state = 'superseded',
        published_at = now(),
        valid_from = coalesce(v.effective_date, current_date)
    where v.version_id = _new.version_id;
    perform corpus.retire_version(r.version_id, _new.version_id)
    from unnest(_rivals) as r (version_id)
    order by r.version_id;
    select coalesce(array_agg(distinct v.document_id), '{}') into superseded_documents
    from corpus.version as v
    where v.version_id = any(_rivals) and v.document_id <> _new.document_id;

    if _winner is not null then
        update corpus.version as v
        set superseded_by = _winner
        where v.version_id = _new.version_id;
        perform corpus.lay_timeline(_new.document_id);
        perform audit.write_event(
            'superseded', 'version ' || _new.version_id, jsonb_build_object('by', _winner)
        );
        return next;
        return;
    end if;

    update corpus.version as v set state = 'published' where v.version_id = _new.version_id;
    perform corpus.lay_timeline(_new.document_id);
    insert into search.text_index (chunk_id, scope_id, lexemes, token_count)
    select i.chunk_id, i.scope_id, i.lexemes, terms.count_tokens(i.lexemes)
    from (
        select
            c.chunk_id, c.scope_id,
            terms.to_index(embedding.text_of(_new.title, c.content)) as lexemes
        from corpus.chunk as c
        where c.version_id = _new.version_id
        order by c.chunk_index
    ) as i;
    with warm_vector as (
        delete from embedding.cold_vector as k
        using corpus.chunk as c
        where c.version_id = _new.version_id and k.chunk_id = c.chunk_id
        returning k.set_id, k.chunk_id, c.scope_id, k.embedding
    )

    insert into embedding.vector (set_id, chunk_id, scope_id, embedding)
    select w.set_id, w.chunk_id, w.scope_id, w.embedding
    from warm_vector as w
    order by w.chunk_id;
    perform embedding.want_version(_new.version_id);
    return next;
end;
$$;

COMMENT ON FUNCTION corpus.publish_version(version_id bigint) IS 'Make a staged version the one that is seen, in one short transaction, and retire what it replaces.';

REVOKE ALL ON FUNCTION corpus.publish_version(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.publish_version(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.publish_version(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.quality_score(content_length integer, file_type text, tag_count integer, full_length integer DEFAULT 1000) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select (
        round(40 * least(1.0, greatest(0, coalesce(quality_score.content_length, 0))
            / greatest(1, quality_score.full_length)::numeric))
        + case quality_score.file_type
            when 'pdf' then 30 when 'docx' then 25 when 'html' then 20 when 'txt' then 15 else 0
        end
        + case
            when coalesce(quality_score.tag_count, 0) <= 0 then 0
            when quality_score.tag_count <= 2 then 15
            else 30
        end
    )::smallint;
$$;

COMMENT ON FUNCTION corpus.quality_score(content_length integer, file_type text, tag_count integer, full_length integer) IS '0 to 100: length 0-40 (full at one chunk size) + type (PDF 30, DOCX 25, HTML 20, TXT 15) + tags (none 0, one or two 15, three or more 30).';

REVOKE ALL ON FUNCTION corpus.quality_score(content_length integer, file_type text, tag_count integer, full_length integer) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.quality_score(content_length integer, file_type text, tag_count integer, full_length integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.quality_score(content_length integer, file_type text, tag_count integer, full_length integer) TO pgkb_admin;

CREATE FUNCTION corpus.retire_version(version_id bigint, successor_id bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    update corpus.version as v
    set
        state = 'superseded',
        superseded_by = retire_version.successor_id,
        valid_to = greatest(v.valid_from, coalesce(v.withdrawn_on, s.valid_from))
    from corpus.version as s
    where
        v.version_id = retire_version.version_id
        and v.state = 'published'
        and s.version_id = retire_version.successor_id;
    if not found then
        return;
    end if;
    -- in the order of set_status, so that a curator and a publisher cannot deadlock
    perform from corpus.chunk_fact as f
    where f.chunk_id in (
        select c.chunk_id from corpus.chunk as c where c.version_id = retire_version.version_id
    )
    order by f.chunk_id
    for update;
    -- what a curator rejected or flagged stays so: as_of must not bring it back
    update corpus.chunk_fact as f
    set status = 'superseded'
    from corpus.chunk as c
    where
        c.version_id = retire_version.version_id
        and f.chunk_id = c.chunk_id
        and f.status in ('pending', 'approved');
    delete from search.text_index as t
    using corpus.chunk as c
    where c.version_id = retire_version.version_id and t.chunk_id = c.chunk_id;
    with cooled_vector as (
        delete from embedding.vector as v
        using corpus.chunk as c
        where c.version_id = retire_version.version_id and v.chunk_id = c.chunk_id
        returning v.set_id, v.chunk_id, v.embedding
    )

    insert into embedding.cold_vector (set_id, chunk_id, embedding)
    select w.set_id, w.chunk_id, w.embedding
    from cooled_vector as w;
    perform audit.write_event(
        'superseded', 'version ' || retire_version.version_id,
        jsonb_build_object('by', retire_version.successor_id)
    );
end;
$$;

COMMENT ON FUNCTION corpus.retire_version(version_id bigint, successor_id bigint) IS 'Take a published version out of the search because another took over; it stays for as_of and old citations.';

REVOKE ALL ON FUNCTION corpus.retire_version(version_id bigint, successor_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.retire_version(version_id bigint, successor_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.retire_version(version_id bigint, successor_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.rivals_of(version_id bigint) RETURNS SETOF corpus.version
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select r.*
    from corpus.version as n
    inner join corpus.document as d on n.document_id = d.document_id
    inner join corpus.document as o
        on d.scope_id = o.scope_id
        and (o.document_id = d.document_id or o.source_family = d.source_family)
    inner join corpus.version as r
        on o.document_id = r.document_id
        and r.state = 'published'
        and (o.document_id = d.document_id or r.title_key = n.title_key)
    where n.version_id = rivals_of.version_id and r.version_id <> n.version_id;
$$;

COMMENT ON FUNCTION corpus.rivals_of(version_id bigint) IS 'The published versions that cannot stay published beside this one: of its document, or of its title in the same scope and source family.';

REVOKE ALL ON FUNCTION corpus.rivals_of(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.rivals_of(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.rivals_of(version_id bigint) TO pgkb_admin;

CREATE FUNCTION corpus.scope_for(la_code text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, owner text DEFAULT NULL::text, principals text[] DEFAULT NULL::text[]) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _urn text := nullif(btrim(scope_for.school_urn), '');
    _school_la text := place.check_school(_urn);
    _given text := upper(nullif(btrim(scope_for.la_code), ''));
    _la text;
    _owner text := nullif(btrim(scope_for.owner), '');
    _principals text[];
    _kind text;
    _scope_id bigint;
begin
    begin
        _la := place.resolve_authority(_given);
    exception when sqlstate 'PL003' then
        -- an authority that was split: its documents stay under the old code and are found
        -- from each of its successors
        select coalesce(
            (select a.gss from place.authority as a where a.gss = _given),
            (select d.authority_gss from place.district as d where d.lad_gss = _given),
            (select max(a.gss) from place.authority as a where a.dfe_code = _given)
        ) into _la;
    end;
    if _school_la is not null then
        if _la is not null and _la <> place.resolve_authority(_school_la) then
            raise exception 'school % does not belong to authority %', _urn, _given
                using errcode = 'KB006',
                      hint = format('Leave the authority out, or give %s.', _school_la);
        end if;
        _la := place.resolve_authority(_school_la);
    end if;
    if _owner is null and coalesce(cardinality(scope_for.principals), 0) > 0 then
        raise exception 'a shared document needs an owner'
            using errcode = 'KB007', hint = 'Name the owner, or leave the principals out.';
    end if;
    _kind := case
        when _owner is not null then 'private'
        when _urn is not null then 'school'
        when _la is not null then 'la'
        else 'national'
    end;
    select coalesce(array_agg(distinct p.principal order by p.principal), '{}') into _principals
    from unnest(scope_for.principals) as p (principal)
    where p.principal ~ '\S' and p.principal is distinct from _owner;

    insert into corpus.scope (kind, la_code, school_urn, owner, principals)
    values (_kind, _la, _urn, _owner, _principals)
    on conflict do nothing
    returning scope_id into _scope_id;
    if _scope_id is null then
        select s.scope_id into strict _scope_id
        from corpus.scope as s
        where
            s.kind = _kind
            and s.la_code is not distinct from _la
            and s.school_urn is not distinct from _urn
            and s.owner is not distinct from _owner
            and s.principals = _principals;
    end if;
    return _scope_id;
end;
$$;

COMMENT ON FUNCTION corpus.scope_for(la_code text, school_urn text, owner text, principals text[]) IS 'The scope of a document for these readers, made when it is new.';

REVOKE ALL ON FUNCTION corpus.scope_for(la_code text, school_urn text, owner text, principals text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.scope_for(la_code text, school_urn text, owner text, principals text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.scope_for(la_code text, school_urn text, owner text, principals text[]) TO pgkb_admin;

CREATE FUNCTION corpus.set_status(chunk_ids bigint[], status text, actor text DEFAULT NULL::text, reason text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _changed integer;
begin
    if set_status.status not in ('pending', 'approved', 'rejected', 'flagged') then
        raise exception 'a person cannot decide that chunks are "%"', left(set_status.status, 40)
            using errcode = 'KB013',
                  detail = 'A chunk is superseded when a newer version of its document takes over.',
                  hint = 'Decide for approved, rejected, flagged or pending.';
    end if;
    perform corpus.lock_facts(set_status.chunk_ids);
    update corpus.chunk_fact as f
    set
        status = set_status.status,
        reviewed_by = coalesce(set_status.actor, session_user),
        reviewed_at = now()
    where f.chunk_id = any(set_status.chunk_ids) and f.status <> set_status.status;
    get diagnostics _changed = row_count;
    if _changed > 0 then
        perform audit.write_event(
            'status_changed', format('%s chunks', _changed),
            jsonb_build_object(
                'chunks', set_status.chunk_ids, 'status', set_status.status,
                'reason', set_status.reason
            ),
            set_status.actor
        );
    end if;
    return _changed;
end;
$$;

COMMENT ON FUNCTION corpus.set_status(chunk_ids bigint[], status text, actor text, reason text) IS 'Decide on chunks along the allowed edges, audited; returns how many changed. All or none.';

REVOKE ALL ON FUNCTION corpus.set_status(chunk_ids bigint[], status text, actor text, reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.set_status(chunk_ids bigint[], status text, actor text, reason text) TO pgkb_admin;

CREATE FUNCTION corpus.set_tags(chunk_ids bigint[], tags text[], actor text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _tags text[] := corpus.check_tags(set_tags.tags);
    _changed integer;
begin
    perform corpus.lock_facts(set_tags.chunk_ids);
    update corpus.chunk_fact as f
    set
        tags = _tags,
        quality_score = corpus.quality_score(
            length(c.content), v.file_type, cardinality(_tags),
            config.value('kb.chunk_size')::integer
        )
    from corpus.chunk as c
    inner join corpus.version as v on c.version_id = v.version_id
    where
        f.chunk_id = any(set_tags.chunk_ids)
        and c.chunk_id = f.chunk_id
        and f.tags is distinct from _tags;
    get diagnostics _changed = row_count;
    if _changed > 0 then
        perform audit.write_event(
            'tags_changed', format('%s chunks', _changed),
            jsonb_build_object('chunks', set_tags.chunk_ids, 'tags', _tags), set_tags.actor
        );
    end if;
    return _changed;
end;
$$;

COMMENT ON FUNCTION corpus.set_tags(chunk_ids bigint[], tags text[], actor text) IS 'Give chunks other topic slugs, and the quality that follows; returns how many changed.';

REVOKE ALL ON FUNCTION corpus.set_tags(chunk_ids bigint[], tags text[], actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.set_tags(chunk_ids bigint[], tags text[], actor text) TO pgkb_admin;

CREATE FUNCTION corpus.source_host(source text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select regexp_replace(
        lower(substring(
            source_host.source from '^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/@?#]*@)?([^/:?#]+)'
        )),
        '^www\.', ''
    );
$$;

COMMENT ON FUNCTION corpus.source_host(source text) IS 'Host of an address, lower case, without www; NULL when the source is not an address.';

REVOKE ALL ON FUNCTION corpus.source_host(source text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.source_host(source text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.source_host(source text) TO pgkb_admin;

CREATE FUNCTION corpus.stage_document(source text, title text, body text, file_type text, la_code text DEFAULT NULL::text, school_urn text DEFAULT NULL::text, owner text DEFAULT NULL::text, principals text[] DEFAULT NULL::text[], tags text[] DEFAULT '{}'::text[], authority text DEFAULT NULL::text, document_type text DEFAULT NULL::text, effective_date date DEFAULT NULL::date, metadata jsonb DEFAULT '{}'::jsonb, lease_holder text DEFAULT NULL::text) RETURNS TABLE(outcome text, document_id bigint, version_id bigint, existing_document_id bigint, existing_source text, chunk_count integer, task_id bigint, lease_token uuid)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    _source text := btrim(coalesce(stage_document.source, ''));
    -- it stands before every passage that is embedded: a runaway one must not drown the text
    _title text := left(coalesce(nullif(btrim(stage_document.title), ''), _source), 300);
    _host text := corpus.source_host(_source);
    _domain corpus.domain;
    _scope_id bigint;
    _authority text := nullif(btrim(stage_document.authority), '');
    _tags text[];
    _hash bytea;
    _limit integer := config.value('kb.max_document_length')::integer;
    _known record;
    _withdrawn bigint;
    _task queue.task;
begin
    if _source = '' then
        raise exception 'a document needs a source'
            using errcode = 'KB012', hint = 'Give the address or the file name it came from.';
    end if;
    if length(_source) > 2000 then
        raise exception 'the source is too long: % characters', length(_source)
            using errcode = 'KB012', hint = 'Give an address or a name of at most 2000 characters.';
    end if;
    -- white space and invisible characters are no text
    if coalesce(stage_document.body, '')
        !~ E'[^\\s\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u2064\ufeff]'
    then
        raise exception 'the document holds no text'
            using errcode = 'KB001',
                  hint = 'A scanned document needs its text recognised (OCR) before it is added.';
    end if;
    if length(stage_document.body) > _limit then
        raise exception 'the document is too long: % characters, at most % are taken',
            length(stage_document.body), _limit
            using errcode = 'KB003', hint = 'Split it, or raise kb.max_document_length.';
    end if;
    if coalesce(stage_document.file_type, '') not in ('pdf', 'docx', 'html', 'txt') then
        raise exception 'file type "%" is not known', left(stage_document.file_type, 20)
            using errcode = 'KB011', hint = 'Give pdf, docx, html or txt.';
    end if;
    _tags := corpus.check_tags(stage_document.tags);
    perform corpus.check_rank(_authority);

    -- pages of national sites hold everywhere, whoever adds them
    select d.* into _domain from corpus.domain as d where d.domain = _host;
    if found and stage_document.owner is null
        and coalesce(cardinality(stage_document.principals), 0) = 0
    then
        _scope_id := corpus.scope_for();
        -- not used, but a wrong one is a mistake all the same
        perform place.check_school(nullif(btrim(stage_document.school_urn), ''));
        begin
            perform place.resolve_authority(nullif(btrim(stage_document.la_code), ''));
        exception when sqlstate 'PL003' then
            null;
        end;
        _authority := coalesce(_authority, _domain.authority);
    else
        _scope_id := corpus.scope_for(
            stage_document.la_code, stage_document.school_urn,
            stage_document.owner, stage_document.principals
        );
    end if;
    _authority := coalesce(_authority, (
        select r.authority
        from corpus.scope as s
        inner join corpus.authority_rank as r
            on r.authority = case s.kind when 'private' then 'user_upload' else s.kind end
        where s.scope_id = _scope_id
    ));

    _hash := corpus.content_hash(stage_document.body);
    -- texts before sources, always: two uploads that cross cannot wait for each other
    perform pg_advisory_xact_lock(hashtextextended(_scope_id || encode(_hash, 'hex'), 1));
    perform pg_advisory_xact_lock(hashtextextended(_scope_id || ' ' || _source, 2));

    select
        d.document_id, d.source, v.version_id, v.state,
        t.task_id, t.ready_at, t.claimed_by, t.dead,
        (
            select count(*)::integer from corpus.chunk as c where c.version_id = v.version_id
        ) as chunks
    into _known
    from corpus.version as v
    inner join corpus.document as d on v.document_id = d.document_id
    left join queue.task as t on t.kind = 'publish_version' and t.subject_id = v.version_id
    where
        v.content_hash = _hash
        and d.scope_id = _scope_id
        and (
            v.state in ('published', 'staged')
            -- or an older document that a newer one of its title outranks: adding it again
            -- must not make a version each time
            or (
                d.source = _source
                and v.version = (
                    select max(o.version) from corpus.version as o
                    where o.document_id = d.document_id
                )
            )
        )
    order by v.state = 'published' desc, d.source = _source desc, v.version_id
    limit 1;

    if found and _known.state = 'staged'
        and (
            _known.task_id is null
            or _known.dead
            or (_known.claimed_by is not null and _known.ready_at <= clock_timestamp())
            -- nobody has it yet: a holder takes it, without one it waits as before
            or (_known.claimed_by is null and stage_document.lease_holder is not null)
        )
    then
        -- whoever staged it died or gave up: go on from there
        _task := queue.enqueue('publish_version', _known.version_id, stage_document.lease_holder);
        return query select
            'staged', _known.document_id, _known.version_id, null::bigint, null::text,
            _known.chunks, _task.task_id, _task.lease_token;
        return;
    end if;
    if found then
        if _known.source <> _source and _known.state = 'published' then
            -- this source says now what another one says: what it said before is outdated, but
            -- held until now
            update corpus.version as v
            set withdrawn_on = coalesce(stage_document.effective_date, current_date)
            from corpus.document as d
            where
                d.scope_id = _scope_id and d.source = _source
                and v.document_id = d.document_id and v.state = 'published'
            returning v.version_id into _withdrawn;
            perform corpus.retire_version(_withdrawn, _known.version_id);
        end if;
        return query select
            case when _known.source = _source and _known.state <> 'staged'
                then 'unchanged' else 'duplicate' end,
            _known.document_id, _known.version_id, _known.document_id, _known.source,
            _known.chunks, null::bigint, null::uuid;
        return;
    end if;

    insert into corpus.document as d (scope_id, source, source_family)
    values (_scope_id, _source, coalesce(_host, 'upload'))
    on conflict on constraint document_once_per_source do nothing;
    select d.document_id into strict document_id
    from corpus.document as d
    where d.scope_id = _scope_id and d.source = _source;

    insert into corpus.version as v (
        document_id, version, title, title_key, content_hash, file_type, document_type,
        authority, tags, effective_date, metadata
    )
    select
        stage_document.document_id,
        1 + coalesce(max(o.version), 0),
        _title,
        corpus.title_key(_title),
        _hash,
        stage_document.file_type,
        nullif(btrim(stage_document.document_type), ''),
        _authority,
        _tags,
        stage_document.effective_date,
        coalesce(stage_document.metadata, '{}')
    from corpus.version as o
    where o.document_id = stage_document.document_id
    returning v.version_id into version_id;

    insert into corpus.chunk as c (
        version_id, document_id, scope_id, chunk_index, start_at, content, content_hash,
        embedding_hash
    )
    select
        stage_document.version_id, stage_document.document_id, _scope_id, p.chunk_index,
        p.start_at, p.content,
        sha256(convert_to(p.content, 'UTF8')),
        sha256(convert_to(embedding.text_of(_title, p.content), 'UTF8'))
    from corpus.chunk_text(stage_document.body) as p;
    get diagnostics chunk_count = row_count;

    _task := queue.enqueue('publish_version', version_id, stage_document.lease_holder);
    outcome := 'staged';
    task_id := _task.task_id;
    lease_token := _task.lease_token;
    return next;
end;
$$;

COMMENT ON FUNCTION corpus.stage_document(source text, title text, body text, file_type text, la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text, effective_date date, metadata jsonb, lease_holder text) IS 'Store a parsed text as a version nobody sees yet, unless it is there already; the caller embeds and publishes it.';

REVOKE ALL ON FUNCTION corpus.stage_document(source text, title text, body text, file_type text, la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text, effective_date date, metadata jsonb, lease_holder text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.stage_document(source text, title text, body text, file_type text, la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text, effective_date date, metadata jsonb, lease_holder text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.stage_document(source text, title text, body text, file_type text, la_code text, school_urn text, owner text, principals text[], tags text[], authority text, document_type text, effective_date date, metadata jsonb, lease_holder text) TO pgkb_admin;

CREATE FUNCTION corpus.title_key(title text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    with stripped as (
        select regexp_replace(btrim(regexp_replace(regexp_replace(regexp_replace(
            -- an index takes no longer key
            translate(left(terms.fold_text(left(title_key.title, 1000)), 500), '_', ' '),
            -- 2024, 2024-25, 2024/2025
            '\m(19|20)\d\d(?: ?[-/] ?\d{2,4})?\M', ' ', 'g'),
            -- v2, version 1.3, withdrawn, updated, month names
            '\m(v\d+(\.\d+)*|(version|ver|rev|revision|edition|issue)\M( ?\d+(\.\d+)*)?|'
            || 'withdrawn|updated?|superseded|archived?|copy|january|february|march|april|may|june|'
            || 'july|august|september|october|november|december)\M', ' ', 'g'),
            '[^[:alnum:]]+', ' ', 'g')),
            -- only at the end: a draft plan and a final plan are two subjects
            '( ?\m(draft|final))+$', '') as words
    )

    select nullif(
        case
            when s.words in (
                '', 'home', 'homepage', 'overview', 'index', 'untitled', 'document', 'welcome',
                'contents', 'content', 'news', 'contact', 'contact us', 'about', 'about us', 'page',
                'introduction', 'microsoft word', 'letter', 'policy', 'guidance', 'report', 'form',
                'information', 'faq', 'faqs', 'help', 'search', 'error', 'not found',
                'new document', 'untitled document'
            ) or s.words !~ '[[:alpha:]]{3}' then ''
            else s.words
        end,
        ''
    )
    from stripped as s;
$_$;

COMMENT ON FUNCTION corpus.title_key(title text) IS 'Folded title without years, dates and version words; NULL when what is left is too generic to supersede by.';

REVOKE ALL ON FUNCTION corpus.title_key(title text) FROM PUBLIC;
GRANT ALL ON FUNCTION corpus.title_key(title text) TO pgkb_ingest;
GRANT ALL ON FUNCTION corpus.title_key(title text) TO pgkb_admin;

CREATE TRIGGER chunk_fact__check_transition BEFORE UPDATE OF status ON corpus.chunk_fact FOR EACH ROW EXECUTE FUNCTION corpus.chunk_fact__check_transition();

CREATE SCHEMA dba;

COMMENT ON SCHEMA dba IS 'What the indexes, tables and settings of this database need, and the statements that give it.';

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
            pg_relation_size((x.oid)::regclass) AS bytes
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
    AS $$
#variable_conflict use_column
declare
    _set integer;
    _statuses text[];
    _candidates integer;
    _chunks double precision;
    _everything search.visible_scope[];
    _scopes search.visible_scope[];
    _tags text[];
    -- drawn from the chunks, so that large ones come up more often
    _authorities text[];
    _tagged text[];
    _small_scopes bigint[];
    _small_tags text[];
    _place integer;
    _question record;
    _band text;
    _found search.vector_found;
    _exact search.vector_hit[];
    _started timestamptz;
    _planned_ms double precision;
    _exact_ms double precision;
    _share double precision;
    _seen jsonb[] := '{}';
begin
    if coalesce(measure_recall.sample, 0) not between 1 and 10000 then
        raise exception 'sample % is out of range', measure_recall.sample
            using errcode = 'UP002', hint = 'Give 1 to 10000 questions.';
    end if;
    if coalesce(measure_recall.k, 0) not between 1 and 1000 then
        raise exception 'k % is out of range', measure_recall.k
            using errcode = 'UP002', hint = 'Give 1 to 1000 chunks.';
    end if;
    if not coalesce(
        measure_recall.bands <@ array['everything', 'authority', 'tag', 'tiny'], false
    ) or measure_recall.bands = '{}' then
        raise exception 'no such band of selectivity'
            using errcode = 'UP002', hint = 'Give some of everything, authority, tag and tiny.';
    end if;
    _set := (embedding.active_set()).set_id;
    _statuses := regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*');
    -- the legs bring more than an answer shows, and so does the audited one
    _candidates := greatest(measure_recall.k, config.value('kb.candidates')::integer);
    _everything := array(select s from search.visible_scopes(everywhere => true) as s);
    _chunks := greatest(1, (select count(*) from search.text_index));

    _authorities := array(
        select s.la_code
        from corpus.chunk_fact as f
        inner join corpus.scope as s on s.scope_id = f.scope_id
        where s.kind in ('la', 'school') and f.status = any(_statuses)
        order by random()
        limit measure_recall.sample
    );
    _tagged := array(
        select f.tags[1 + floor(random() * cardinality(f.tags))]
        from corpus.chunk_fact as f
        where f.scope_id in (select s.scope_id from unnest(_everything) as s)
            and f.status = any(_statuses) and f.tags <> '{}'
        order by random()
        limit measure_recall.sample
    );
    select array_agg(d.scope_id), array_agg(d.tag)
    into _small_scopes, _small_tags
    from (
        select f.scope_id, f.tags[1 + floor(random() * cardinality(f.tags))] as tag
        from corpus.chunk_fact as f
        inner join corpus.scope as s on s.scope_id = f.scope_id
        where s.kind <> 'private' and f.status = any(_statuses) and f.tags <> '{}'
        order by s.kind = 'national', random()
        limit measure_recall.sample
    ) as d;

    for _question in
        select q.query, q.is_real, (row_number() over ())::integer as place
        from dba.sample_questions(measure_recall.sample) as q
    loop
        foreach _band in array measure_recall.bands loop
            _scopes := _everything;
            _tags := null;
            if _band = 'authority' then
                continue when cardinality(_authorities) = 0;
                _scopes := array(
                    select s
                    from unnest(_everything) as s
                    inner join corpus.scope as c on c.scope_id = s.scope_id
                    where
                        c.kind = 'national'
                        or c.la_code = _authorities[1 + _question.place % cardinality(_authorities)]
                );
            elsif _band = 'tag' then
                continue when cardinality(_tagged) = 0;
                _tags := array[_tagged[1 + _question.place % cardinality(_tagged)]];
            elsif _band = 'tiny' then
                continue when _small_scopes is null;
                _place := 1 + _question.place % cardinality(_small_scopes);
                _tags := array[_small_tags[_place]];
                _scopes := array(
                    select s
                    from corpus.scope as c
                    cross join lateral
                        search.visible_scopes(urn => c.school_urn, everywhere => true) as s
                    where c.scope_id = _small_scopes[_place] and s.scope_id = c.scope_id
                );
            end if;

            _started := clock_timestamp();
            _exact := array(
                select h
                from search.exact_hits(
                    query => _question.query, set_id => _set,
                    scope_ids => array(select s.scope_id from unnest(_scopes) as s),
                    statuses => _statuses, tags => _tags, candidates => measure_recall.k
                ) as h
            );
            _exact_ms := 1000 * extract(epoch from clock_timestamp() - _started);
            continue when cardinality(_exact) = 0;
            _started := clock_timestamp();
            _found := search.vector_leg(
                query => _question.query, set_id => _set, scopes => _scopes,
                statuses => _statuses, tags => _tags, candidates => _candidates
            );
            _planned_ms := 1000 * extract(epoch from clock_timestamp() - _started);
            select least(1.0, count(*)::double precision / cardinality(_exact))
            into _share
            from unnest(_found.hits) as h
            where h.similarity >= (select min(e.similarity) from unnest(_exact) as e) - 1e-6;
            _seen := _seen || jsonb_build_object(
                'band', _band, 'real', _question.is_real, 'recall', _share,
                'ms', _planned_ms, 'exact_ms', _exact_ms,
                'selectivity', (
                    select count(*)
                    from corpus.chunk_fact as f
                    where
                        f.scope_id in (select s.scope_id from unnest(_scopes) as s)
                        and f.status = any(_statuses)
                        and (_tags is null or f.tags && _tags)
                ) / _chunks,
                'plans', (
                    select string_agg(distinct p.plan, ', ' order by p.plan)
                    from unnest(_found.plans) as p
                )
            );
        end loop;
    end loop;

    return query
    select
        b.band,
        avg((s.o ->> 'selectivity')::double precision),
        count(s.o)::integer,
        (count(s.o) filter (where (s.o ->> 'real')::boolean))::integer,
        avg((s.o ->> 'recall')::double precision),
        min((s.o ->> 'recall')::double precision),
        avg((s.o ->> 'ms')::double precision),
        avg((s.o ->> 'exact_ms')::double precision),
        string_agg(distinct s.o ->> 'plans', '; ' order by s.o ->> 'plans')
    from unnest(measure_recall.bands) with ordinality as b (band, place)
    left join unnest(_seen) as s (o) on s.o ->> 'band' = b.band
    group by b.band, b.place
    order by b.place;
end;
$$;

COMMENT ON FUNCTION dba.measure_recall(sample integer, k integer, bands text[]) IS 'How much of the exact best k the vector leg finds as it plans today, by bands of selectivity; writes nothing.';

REVOKE ALL ON FUNCTION dba.measure_recall(sample integer, k integer, bands text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION dba.measure_recall(sample integer, k integer, bands text[]) TO pgkb_admin;

CREATE FUNCTION dba.note_builds() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _noted integer;
begin
    delete from dba.index_build as b
    where not exists (select from dba.vector_index as v where v.index_name = b.index_name);
    insert into dba.index_build as b (index_name, file_node, deletes_before)
    select v.index_name, pg_relation_filenode(v.index_oid), 0
    from dba.vector_index as v
    on conflict (index_name) do update
    set
        file_node = excluded.file_node,
        deletes_before = (
            select t.deleted_rows
            from dba.vector_index as v
            inner join dba.our_table as t on t.table_oid = v.table_oid
            where v.index_name = b.index_name
        ),
        noted_at = now()
    where b.file_node <> excluded.file_node;
    get diagnostics _noted = row_count;
    return _noted;
end;
$$;

COMMENT ON FUNCTION dba.note_builds() IS 'Note every vector index that was built since it was last noted, so that churn is counted from its build; returns how many.';

REVOKE ALL ON FUNCTION dba.note_builds() FROM PUBLIC;
GRANT ALL ON FUNCTION dba.note_builds() TO pgkb_admin;

CREATE FUNCTION dba.prewarm() RETURNS TABLE(relation text, size text, bytes bigint, method text, ms double precision)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _set integer := (embedding.active_set()).set_id;
    _extension text := (
        select quote_ident(n.nspname)
        from pg_extension as e inner join pg_namespace as n on n.oid = e.extnamespace
        where e.extname = 'pg_prewarm'
    );
    _room bigint := pg_size_bytes(current_setting('shared_buffers')) * 9 / 10;
    _statuses text[] := regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*');
    _found search.vector_found;
    _scopes search.visible_scope[];
    _one record;
    _started timestamptz;
    _method text;
begin
    for _one in
        select
            format('%I.%I', n.nspname, c.relname) as name,
            c.oid,
            pg_relation_size(c.oid) as bytes,
            coalesce(a.amname, 'heap') as kind
        from (
            -- a search reads the indexes of both legs at random, then facts, then texts
            values
                (1, 'embedding.vector_' || _set, 'hnsw'), (2, 'search.text_index', null),
                (3, 'corpus.chunk_fact', null), (4, 'search.lexeme_stat', null),
                (5, 'search.scope_stat', null), (6, 'embedding.vector_' || _set, 'other'),
                (7, 'corpus.chunk', null), (8, 'corpus.version', null),
                (9, 'corpus.document', null)
        ) as w (place, table_name, which)
        cross join lateral (
            select to_regclass(w.table_name) as oid
            union all
            select i.indexrelid from pg_index as i where i.indrelid = to_regclass(w.table_name)
        ) as r
        inner join pg_class as c on c.oid = r.oid
        inner join pg_namespace as n on n.oid = c.relnamespace
        inner join pg_am as a on a.oid = c.relam
        where w.which is null or (w.which = 'hnsw') = (a.amname = 'hnsw')
        order by w.place, c.relkind = 'i' desc, c.relname
    loop
        _started := clock_timestamp();
        if _extension is not null then
            _method := case when _one.bytes <= _room then 'buffer' else 'read' end;
            execute format('select %s.pg_prewarm($1, $2)', _extension)
            using _one.oid::regclass, _method;
            if _method = 'buffer' then
                _room := _room - _one.bytes;
            end if;
        elsif _one.kind = 'heap' then
            _method := 'scan';
            execute format('select count(*) from %s', _one.name);
        elsif _one.kind = 'hnsw' then
            _method := 'searches';
            _scopes := coalesce(
                _scopes, array(select s from search.visible_scopes(everywhere => true) as s)
            );
            for _found in
                select f.*
                from dba.sample_questions(50) as q
                cross join lateral search.vector_leg(
                    query => q.query, set_id => _set, scopes => _scopes, statuses => _statuses
                ) as f
            loop
                null;
            end loop;
        else
            _method := 'left out: create extension pg_prewarm';
        end if;
        return query select
            _one.name, pg_size_pretty(_one.bytes), _one.bytes, _method,
            round((1000 * extract(epoch from clock_timestamp() - _started))::numeric, 1)
            ::double precision;
    end loop;
end;
$_$;

COMMENT ON FUNCTION dba.prewarm() IS 'Bring what a search reads into memory, the most needed first; returns what was read, how and in how many milliseconds.';

REVOKE ALL ON FUNCTION dba.prewarm() FROM PUBLIC;
GRANT ALL ON FUNCTION dba.prewarm() TO pgkb_admin;

CREATE FUNCTION dba.rebuild_plan(index_name text DEFAULT NULL::text) RETURNS TABLE(step integer, target text, statement text, needed boolean, why text, live_rows bigint, disk_bytes bigint, graph_bytes bigint, memory_bytes bigint, fits boolean)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
#variable_conflict use_column
declare
    _wanted text;
    _memory bigint := pg_size_bytes(current_setting('maintenance_work_mem'));
    _rebuild_after double precision := config.value('kb.rebuild_after')::double precision;
begin
    if rebuild_plan.index_name is not null then
        -- with its schema or, where only one is called so, without
        select min(h.index_name) into _wanted
        from dba.index_health as h
        where
            rebuild_plan.index_name in (h.index_name, split_part(h.index_name, '.', 2))
        having count(*) = 1;
        if _wanted is null then
            raise exception 'no index of ours is called %', rebuild_plan.index_name
                using errcode = 'UP001',
                      hint = 'See the names in dba.index_health and give the schema, too.';
        end if;
    end if;
    return query
    with wanted_index as (
        select
            h.*,
            coalesce(v.fresh_bytes, h.bytes) as disk_bytes,
            v.graph_bytes,
            split_part(h.index_name, '.', 2) ~ '_cc(new|old)[0-9]*$'
            and not (h.valid and h.ready) as leftover,
            exists (
                select from dba.index_build_progress as p where p.table_name = h.table_name
            ) as busy
        from dba.index_health as h
        left join dba.vector_index as v on v.index_name = h.index_name
        where
            case
                when _wanted is null then h.kind = 'hnsw' or not (h.valid and h.ready)
                else
                    h.index_name = _wanted
                    or (
                        starts_with(h.index_name, _wanted || '_cc')
                        and not (h.valid and h.ready)
                    )
            end
    )

    select
        (row_number() over (order by not w.leftover, w.bytes, w.index_name))::integer,
        w.index_name,
        format(
            case
                when w.leftover then 'drop index concurrently if exists %s;'
                else 'reindex index concurrently %s;'
            end,
            w.index_name
        ),
        w.leftover or not (w.valid and w.ready) or coalesce(w.churn >= _rebuild_after, false)
        or (coalesce(w.bloat, 0) >= 0.5 and w.bytes >= 8 * 1024 * 1024),
        w.advice,
        w.live_rows,
        case when w.leftover then 0 else w.disk_bytes end,
        case when w.leftover then 0 else w.graph_bytes end,
        _memory,
        w.leftover or coalesce(w.graph_bytes <= _memory, true)
    from wanted_index as w
    -- another build works on the table: what looks left over may be its work
    where not (w.busy and w.leftover)
    order by 1;
end;
$_$;

COMMENT ON FUNCTION dba.rebuild_plan(index_name text) IS 'What rebuilding an index, or without a name every vector index, takes: the statements in their order, why, and whether memory suffices.';

REVOKE ALL ON FUNCTION dba.rebuild_plan(index_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION dba.rebuild_plan(index_name text) TO pgkb_admin;

CREATE FUNCTION dba.recall_audit(sample integer DEFAULT 50, k integer DEFAULT 20) RETURNS SETOF dba.recall
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _started timestamptz := clock_timestamp();
    _run bigint;
begin
    with measured as materialized (
        select m.* from dba.measure_recall(recall_audit.sample, recall_audit.k) as m
    ),

    kept_run as (
        insert into dba.recall_run (set_name, chunks, k, questions, real_questions, seconds)
        select
            (embedding.active_set()).name,
            coalesce((select z.chunks from search.scope_size as z where z.scope_id = 0), 0),
            recall_audit.k,
            recall_audit.sample,
            max(m.real_questions),
            extract(epoch from clock_timestamp() - _started)
        from measured as m
        returning run_id
    ),

    kept_band as (
        insert into dba.recall_result (
            run_id, band, selectivity, queries, mean_recall, worst_recall, mean_ms, exact_ms, plans
        )
        select
            r.run_id, m.band, m.selectivity, m.queries, m.mean_recall, m.worst_recall, m.mean_ms,
            m.exact_ms, m.plans
        from measured as m
        cross join kept_run as r
    )

    select r.run_id into _run from kept_run as r;
    return query select a.* from dba.recall as a where a.run_id = _run;
end;
$$;

COMMENT ON FUNCTION dba.recall_audit(sample integer, k integer) IS 'Measure recall by bands of selectivity and keep the result; see dba.recall for this and earlier ones.';

REVOKE ALL ON FUNCTION dba.recall_audit(sample integer, k integer) FROM PUBLIC;
GRANT ALL ON FUNCTION dba.recall_audit(sample integer, k integer) TO pgkb_admin;

CREATE FUNCTION dba.sample_questions(sample integer) RETURNS TABLE(query public.halfvec, is_real boolean)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    _set embedding.set := embedding.active_set();
    _real integer;
begin
    return query
    select q.embedding, true
    from (
        -- one question of many people is one question
        select distinct on (c.question_hash) c.embedding, c.expires_at
        from embedding.query_cache as c
        where c.set_id = _set.set_id and c.model = _set.model
        order by c.question_hash, c.expires_at desc
    ) as q
    order by q.expires_at desc
    limit sample_questions.sample;
    get diagnostics _real = row_count;
    return query
    select
        public.l2_normalize((
            select array_agg(
                d.x + (random() - 0.5) * 2.6 / sqrt(_set.width) order by d.place
            )::real[]
            from unnest(v.embedding::public.vector::real[]) with ordinality as d (x, place)
        )::public.vector)::public.halfvec,
        false
    from (
        select c.chunk_id
        from embedding.vector as c
        where c.set_id = _set.set_id
        order by random()
        limit sample_questions.sample - _real
    ) as drawn
    inner join embedding.vector as v on v.set_id = _set.set_id and v.chunk_id = drawn.chunk_id;
end;
$$;

COMMENT ON FUNCTION dba.sample_questions(sample integer) IS 'Vectors to try the search of the active set with: recent questions of people, then as many made from stored chunks.';

REVOKE ALL ON FUNCTION dba.sample_questions(sample integer) FROM PUBLIC;
GRANT ALL ON FUNCTION dba.sample_questions(sample integer) TO pgkb_admin;

CREATE FUNCTION dba.upkeep_plan() RETURNS TABLE(step integer, task text, target text, statement text, why text, disk_bytes bigint, graph_bytes bigint, memory_bytes bigint, fits boolean)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with planned_step as (
        select
            1 as place, 1 as within, 'fold' as task, 'search.scope_delta' as target,
            'select search.fold_statistics();' as statement,
            format('%s changes of the text index wait', count(*)) as why,
            null::bigint as disk_bytes, null::bigint as graph_bytes,
            null::bigint as memory_bytes, true as fits
        from search.scope_delta as d
        where d.scope_id = 0
        having count(*) > 0
        union all
        select 1, h.within, 'purge', h.target, h.statement, h.why, null, null, null, true
        from (
            values
            (
                2, 'embedding.query_cache', 'select embedding.purge_queries();',
                'cached questions whose time is over'
            ),
            (
                3, 'search.record', 'select search.purge_records();',
                'records whose time is over'
            ),
            (
                4, 'corpus.version', 'select corpus.discard_abandoned();',
                'documents nobody finished'
            )
        ) as h (within, target, statement, why)
        union all
        -- before, so that churn up to now is the old build's, and after
        select
            n.place, 1, 'note', 'dba.index_build', 'select dba.note_builds();',
            'churn is counted from the last build', null, null, null, true
        from unnest(array[2, 4]) as n (place)
        union all
        select
            3, r.step, 'rebuild', r.target, r.statement, r.why, r.disk_bytes, r.graph_bytes,
            r.memory_bytes, r.fits
        from dba.rebuild_plan() as r
        where r.needed
        union all
        select
            5, (row_number() over (order by v.dead_rows, v.table_name))::integer, 'vacuum',
            v.table_name, v.statement, v.why || '; ' || v.cost, null, null, null, true
        from dba.vacuum_plan as v
    )

    select
        (row_number() over (order by p.place, p.within))::integer,
        p.task, p.target, p.statement, p.why, p.disk_bytes, p.graph_bytes, p.memory_bytes, p.fits
    from planned_step as p
    order by 1;
$$;

COMMENT ON FUNCTION dba.upkeep_plan() IS 'What upkeep would do now, in its order: housekeeping, rebuilds of vector indexes after churn, vacuums.';

REVOKE ALL ON FUNCTION dba.upkeep_plan() FROM PUBLIC;
GRANT ALL ON FUNCTION dba.upkeep_plan() TO pgkb_admin;

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
    CONSTRAINT set_floors_are_cosines CHECK ((((retrieval_floor >= ('-1'::integer)::double precision) AND (retrieval_floor <= (1)::double precision)) AND ((relevance_floor >= ('-1'::integer)::double precision) AND (relevance_floor <= (1)::double precision)) AND ((school_floor >= ('-1'::integer)::double precision) AND (school_floor <= (1)::double precision)))),
    CONSTRAINT set_index_ef_construction_is_legal CHECK (((index_ef_construction >= (2 * index_m)) AND (index_ef_construction <= 1000))),
    CONSTRAINT set_index_kind_is_known CHECK ((index_kind = ANY (ARRAY['halfvec'::text, 'binary'::text]))),
    CONSTRAINT set_index_m_is_legal CHECK (((index_m >= 2) AND (index_m <= 100))),
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

GRANT UPDATE(vector_weight) ON TABLE embedding.set TO pgkb_admin;

GRANT SELECT ON TABLE embedding.set TO pgkb_app;
GRANT SELECT ON TABLE embedding.set TO pgkb_ingest;
GRANT SELECT ON TABLE embedding.set TO pgkb_admin;

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

ALTER TABLE ONLY embedding.wanted_vector
    ADD CONSTRAINT wanted_vector_chunk_fk FOREIGN KEY (chunk_id) REFERENCES corpus.chunk(chunk_id) ON DELETE CASCADE;

ALTER TABLE ONLY embedding.wanted_vector
    ADD CONSTRAINT wanted_vector_set_fk FOREIGN KEY (set_id) REFERENCES embedding.set(set_id) ON DELETE CASCADE;

CREATE INDEX cold_vector_chunk_idx ON embedding.cold_vector USING btree (chunk_id);

CREATE INDEX fill_batch_set_idx ON embedding.fill_batch USING btree (set_id, stored_at);

CREATE INDEX query_cache_expires_idx ON embedding.query_cache USING btree (expires_at);

CREATE UNIQUE INDEX set_one_active_idx ON embedding.set USING btree (active) WHERE active;

CREATE INDEX vector_1_hnsw_idx ON embedding.vector_1 USING hnsw (((embedding)::public.halfvec(384)) public.halfvec_cosine_ops) WITH (m='16', ef_construction='64');

CREATE INDEX vector_1_national_idx ON embedding.vector_1 USING hnsw (((embedding)::public.halfvec(384)) public.halfvec_cosine_ops) WITH (m='16', ef_construction='64') WHERE (scope_id = 1);

CREATE INDEX vector_1_scope_id_idx ON embedding.vector_1 USING btree (scope_id);

CREATE INDEX vector_2_hnsw_idx ON embedding.vector_2 USING hnsw (((public.binary_quantize(embedding))::bit(1536)) public.bit_hamming_ops) WITH (m='16', ef_construction='64');

CREATE INDEX vector_2_national_idx ON embedding.vector_2 USING hnsw (((public.binary_quantize(embedding))::bit(1536)) public.bit_hamming_ops) WITH (m='16', ef_construction='64') WHERE (scope_id = 1);

CREATE INDEX vector_2_scope_id_idx ON embedding.vector_2 USING btree (scope_id);

CREATE INDEX vector_scope_idx ON ONLY embedding.vector USING btree (scope_id);

CREATE INDEX wanted_vector_chunk_idx ON embedding.wanted_vector USING btree (chunk_id);

CREATE INDEX wanted_vector_order_idx ON embedding.wanted_vector USING btree (set_id, searched DESC, scope_id, chunk_id) WHERE (NOT failed);

ALTER INDEX embedding.vector_pk ATTACH PARTITION embedding.vector_1_pkey;

ALTER INDEX embedding.vector_scope_idx ATTACH PARTITION embedding.vector_1_scope_id_idx;

ALTER INDEX embedding.vector_pk ATTACH PARTITION embedding.vector_2_pkey;

ALTER INDEX embedding.vector_scope_idx ATTACH PARTITION embedding.vector_2_scope_id_idx;

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
    AS $$
declare
    _set embedding.set;
    _missing bigint;
    _index text;
begin
    -- a publisher that saw the old set must be seen by the count below
    perform pg_advisory_xact_lock(hashtextextended('embedding.activate', 4));
    _set := embedding.named_set(activate.set_name);
    if _set.active then
        return;
    end if;
    select count(*) into _missing
    from search.text_index as t
    where not exists (
        select
        from embedding.vector as v
        where v.set_id = _set.set_id and v.chunk_id = t.chunk_id
    );
    if _missing > 0 then
        raise exception 'embedding set "%" lacks the vectors of % chunks', _set.name, _missing
            using errcode = 'VE006',
                  hint = 'Fill it first: pgkb reembed --set ' || quote_literal(_set.name) || '.';
    end if;
    select m.index_name into _index from embedding.missing_indexes(_set.set_id) as m limit 1;
    if found then
        raise exception 'embedding set "%" lacks the index %', _set.name, _index
            using errcode = 'VE009',
                  hint = 'Build it: select statement from embedding.missing_indexes('
                      || _set.set_id || ');';
    end if;
    update embedding.set as s set active = false, replaced_at = clock_timestamp() where s.active;
    update embedding.set as s set active = true, state = 'ready' where s.set_id = _set.set_id;
    perform audit.write_event('embedding_set_activated', _set.name);
end;
$$;

COMMENT ON FUNCTION embedding.activate(set_name text) IS 'Make searches use this set from the next statement on; refused while published chunks lack its vectors or it lacks an index.';

REVOKE ALL ON FUNCTION embedding.activate(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.activate(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.active_set() RETURNS embedding.set
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set embedding.set;
begin
    select s.* into _set from embedding.set as s where s.active;
    if not found then
        raise exception 'no embedding set is active'
            using errcode = 'VE004',
                  hint = 'Choose one: select embedding.activate(name) from embedding.set;';
    end if;
    return _set;
end;
$$;

COMMENT ON FUNCTION embedding.active_set() IS 'The embedding set that searches use now.';

REVOKE ALL ON FUNCTION embedding.active_set() FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.active_set() TO pgkb_app;
GRANT ALL ON FUNCTION embedding.active_set() TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.active_set() TO pgkb_admin;

CREATE FUNCTION embedding.add_set(name text, provider text, model text, width integer, retrieval_floor double precision DEFAULT NULL::double precision, relevance_floor double precision DEFAULT NULL::double precision, school_floor double precision DEFAULT NULL::double precision, vector_weight double precision DEFAULT NULL::double precision, keyword_weight double precision DEFAULT NULL::double precision) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '5s'
    AS $_$
declare
    _known embedding.set;
    _near embedding.set;
    _set_id integer;
begin
    if coalesce(btrim(add_set.name), '') = '' or length(add_set.name) > 60
        or coalesce(btrim(add_set.model), '') = ''
        or coalesce(add_set.provider, '') not in ('local', 'openai', 'azure', 'compatible')
        or add_set.width is null or add_set.width not between 1 and 4000
    then
        raise exception 'embedding set "%" cannot be: provider "%", model "%", width %',
            left(add_set.name, 60), left(add_set.provider, 20), left(add_set.model, 60),
            add_set.width
            using errcode = 'VE011',
                  hint = 'Give a name of at most 60 letters, a provider (local, openai, azure, compatible), a model and a width of 1 to 4000.';
    end if;
    if not (coalesce(add_set.retrieval_floor, 0) between -1 and 1)
        or not (coalesce(add_set.relevance_floor, 0) between -1 and 1)
        or not (coalesce(add_set.school_floor, 0) between -1 and 1)
        or not (coalesce(add_set.vector_weight, 0) between 0 and 1000)
        or not (coalesce(add_set.keyword_weight, 0) between 0 and 1000)
    then
        raise exception 'embedding set "%" cannot have such floors or weights', add_set.name
            using errcode = 'VE011', hint = 'Floors are -1 to 1, weights 0 to 1000.';
    end if;
    -- two at once must not take the same key
    perform pg_advisory_xact_lock(hashtextextended('embedding.add_set', 4));
    select s.* into _known from embedding.set as s where s.name = add_set.name;
    if found then
        if (_known.provider, _known.model, _known.width)
            is distinct from (add_set.provider, add_set.model, add_set.width)
        then
            raise exception 'embedding set "%" is % of % with % dimensions already',
                _known.name, _known.model, _known.provider, _known.width
                using errcode = 'VE011', hint = 'Choose another name.';
        end if;
        return _known.set_id;
    end if;

    select s.* into _near
    from embedding.set as s
    order by s.model = add_set.model desc, s.provider = add_set.provider desc, s.set_id
    limit 1;
    if _near.set_id is not null and num_nulls(
        add_set.retrieval_floor, add_set.relevance_floor, add_set.school_floor,
        add_set.vector_weight, add_set.keyword_weight
    ) > 0
    then
        raise notice 'floors and weights not given are those of embedding set "%" (%): measure them with pgkb tune',
            _near.name, _near.model;
    end if;
    select coalesce(max(s.set_id), 0) + 1 into _set_id from embedding.set as s;
    insert into embedding.set
        (set_id, name, provider, model, width, retrieval_floor, relevance_floor, school_floor,
            vector_weight, keyword_weight, index_kind)
    values (
        _set_id, add_set.name, add_set.provider, add_set.model, add_set.width,
        coalesce(add_set.retrieval_floor, _near.retrieval_floor, 0.15),
        coalesce(add_set.relevance_floor, _near.relevance_floor, 0.30),
        coalesce(add_set.school_floor, _near.school_floor, 0.15),
        coalesce(add_set.vector_weight, _near.vector_weight, 0.5),
        coalesce(add_set.keyword_weight, _near.keyword_weight, 0.5),
        -- docs/decisions/0019
        case when add_set.width >= 1024 then 'binary' else 'halfvec' end
    );
    -- made apart and attached: "partition of" would shut the searches out
    execute format(
        'create table embedding.vector_%1$s (like embedding.vector including indexes, '
        'constraint vector_%1$s_width check (public.vector_dims(embedding) = %2$s), '
        'constraint vector_%1$s_has_a_direction check (public.l2_norm(embedding) > 0))',
        _set_id, add_set.width
    );
    -- inline, so that an exact scan of a scope reads no TOAST table
    execute format('alter table embedding.vector_%s alter column embedding set storage plain', _set_id);
    execute format('comment on table embedding.vector_%1$s is %2$L', _set_id, 'Vectors of set ' || _set_id || '.');
    execute format(
        'alter table embedding.vector attach partition embedding.vector_%1$s for values in (%1$s)',
        _set_id
    );
    -- as the page of grants has it for every table
    execute format('grant select on embedding.vector_%s to pgkb_admin', _set_id);
    perform audit.write_event('embedding_set_added', add_set.name);
    return _set_id;
end;
$_$;

COMMENT ON FUNCTION embedding.add_set(name text, provider text, model text, width integer, retrieval_floor double precision, relevance_floor double precision, school_floor double precision, vector_weight double precision, keyword_weight double precision) IS 'Add an embedding set and the partition for its vectors, empty and unused; returns its key.';

REVOKE ALL ON FUNCTION embedding.add_set(name text, provider text, model text, width integer, retrieval_floor double precision, relevance_floor double precision, school_floor double precision, vector_weight double precision, keyword_weight double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.add_set(name text, provider text, model text, width integer, retrieval_floor double precision, relevance_floor double precision, school_floor double precision, vector_weight double precision, keyword_weight double precision) TO pgkb_admin;

CREATE FUNCTION embedding.cached_query(viewer text, question text, set_name text DEFAULT NULL::text) RETURNS public.vector
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select q.embedding::public.vector
    from embedding.named_set(cached_query.set_name) as s
    inner join embedding.query_cache as q on s.set_id = q.set_id and s.model = q.model
    where
        -- nobody learns from the cache what the viewers of another login asked
        q.login = session_user
        and q.viewer = cached_query.viewer
        and q.question_hash = embedding.question_hash(cached_query.question)
        and public.vector_dims(q.embedding) = s.width
        and q.expansion_revision = embedding.expansion_revision()
        and q.expires_at > now();
$$;

COMMENT ON FUNCTION embedding.cached_query(viewer text, question text, set_name text) IS 'The vector of a question this viewer of this login asked before, for a set (the active one when not named) and its model; NULL when there is none.';

REVOKE ALL ON FUNCTION embedding.cached_query(viewer text, question text, set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.cached_query(viewer text, question text, set_name text) TO pgkb_app;
GRANT ALL ON FUNCTION embedding.cached_query(viewer text, question text, set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) RETURNS public.halfvec
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if check_vector.given is null then
        raise exception 'a vector of % is missing', (check_vector.expected_set).model
            using errcode = 'VE003', hint = 'Embed the text again.';
    end if;
    if public.vector_dims(check_vector.given) <> (check_vector.expected_set).width then
        raise exception 'the vector has % dimensions, % of set % has %',
            public.vector_dims(check_vector.given), (check_vector.expected_set).model,
            (check_vector.expected_set).name, (check_vector.expected_set).width
            using errcode = 'VE002',
                  hint = 'Embed with the model of the active set: select * from embedding.active_set();';
    end if;
    if public.vector_norm(check_vector.given) = 0 then
        raise exception 'the vector is all zero (model %, width %)',
            (check_vector.expected_set).model, (check_vector.expected_set).width
            using errcode = 'VE001', hint = 'A zero vector has no direction: embed the text again.';
    end if;
    return public.l2_normalize(check_vector.given)::public.halfvec;
end;
$$;

COMMENT ON FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) IS 'The vector at unit length and half precision; refuse a zero vector and another width, naming model and widths.';

REVOKE ALL ON FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) TO pgkb_app;
GRANT ALL ON FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.check_vector(given public.vector, expected_set embedding.set) TO pgkb_admin;

CREATE FUNCTION embedding.chunks_to_embed(version_id bigint, batch_size integer DEFAULT 64, set_name text DEFAULT NULL::text) RETURNS TABLE(chunk_id bigint, embedding_text text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    _set embedding.set := embedding.named_set(chunks_to_embed.set_name);
    _version corpus.version;
begin
    select v.* into _version
    from corpus.version as v
    where v.version_id = chunks_to_embed.version_id;
    if not found then
        raise exception 'there is no version %', chunks_to_embed.version_id
            using errcode = 'KB009', hint = 'It may have been discarded; stage the document again.';
    end if;

    -- the same title and passage were embedded by this set before
    if _version.state = 'staged' then
        insert into embedding.cold_vector (set_id, chunk_id, embedding)
        select distinct on (c.chunk_id) _set.set_id, c.chunk_id, r.embedding
        from corpus.chunk as c
        inner join corpus.chunk as twin
            on c.embedding_hash = twin.embedding_hash and twin.chunk_id <> c.chunk_id
        cross join lateral (
            select v.embedding
            from embedding.vector as v
            where v.set_id = _set.set_id and v.chunk_id = twin.chunk_id
            union all
            select v.embedding
            from embedding.cold_vector as v
            where v.set_id = _set.set_id and v.chunk_id = twin.chunk_id
        ) as r
        where c.version_id = chunks_to_embed.version_id
        on conflict do nothing;
    end if;

    return query
    select c.chunk_id, embedding.text_of(_version.title, c.content)
    from corpus.chunk as c
    where
        c.version_id = chunks_to_embed.version_id
        and not exists (
            select
            from embedding.cold_vector as v
            where v.set_id = _set.set_id and v.chunk_id = c.chunk_id
        )
        and not exists (
            select
            from embedding.vector as v
            where v.set_id = _set.set_id and v.chunk_id = c.chunk_id
        )
    order by c.chunk_index
    limit chunks_to_embed.batch_size;
end;
$$;

COMMENT ON FUNCTION embedding.chunks_to_embed(version_id bigint, batch_size integer, set_name text) IS 'Chunks of a version that still lack a vector in a set (the active one when not named), after reusing the vectors of equal text.';

REVOKE ALL ON FUNCTION embedding.chunks_to_embed(version_id bigint, batch_size integer, set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.chunks_to_embed(version_id bigint, batch_size integer, set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.chunks_to_embed(version_id bigint, batch_size integer, set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.claim_chunks(set_name text, batch_size integer DEFAULT 64, lease interval DEFAULT '00:15:00'::interval) RETURNS TABLE(chunk_id bigint, embedding_text text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    _set embedding.set := embedding.named_set(claim_chunks.set_name);
    _living integer[] := array(select a.pid from pg_stat_activity as a);
    _ids bigint[];
    _reused bigint[];
    _vectors text[];
begin
    if (
        claim_chunks.batch_size between 1 and 2048
        and claim_chunks.lease between interval '1 second' and interval '1 day'
    ) is not true then
        raise exception 'batch size % with lease % is out of range',
            claim_chunks.batch_size, claim_chunks.lease
            using errcode = 'QU001',
                  hint = 'A batch holds 1 to 2048 chunks, a lease lasts one second to one day.';
    end if;
    with ready_chunk as (
        select w.chunk_id
        from embedding.wanted_vector as w
        where
            w.set_id = _set.set_id
            and not w.failed
            and (
                w.ready_at <= clock_timestamp()
                or (w.holder_pid is not null and w.holder_pid <> all(_living))
            )
        order by w.searched desc, w.scope_id, w.chunk_id
        limit claim_chunks.batch_size
        for update skip locked
    ),

    claimed_chunk as (
        update embedding.wanted_vector as w
        set
            holder_pid = case when w.attempts < 8 then pg_backend_pid() end,
            ready_at = clock_timestamp() + claim_chunks.lease,
            attempts = w.attempts + 1,
            -- what kills its worker is never reported by it: the claim counts, and gives up
            failed = w.attempts >= 8,
            last_error = case
                when w.attempts >= 8 then 'given up: it was claimed eight times and never came back'
                else w.last_error
            end
        from ready_chunk as r
        where w.set_id = _set.set_id and w.chunk_id = r.chunk_id
        returning w.chunk_id, w.failed
    )

    select coalesce(array_agg(k.chunk_id), '{}') into _ids
    from claimed_chunk as k
    where not k.failed;

    select coalesce(array_agg(t.chunk_id), '{}'), coalesce(array_agg(t.embedding::text), '{}')
    into _reused, _vectors
    from (
        select distinct on (c.chunk_id) c.chunk_id, r.embedding
        from corpus.chunk as c
        inner join corpus.chunk as twin
            on c.embedding_hash = twin.embedding_hash and c.chunk_id <> twin.chunk_id
        cross join lateral (
            select v.embedding
            from embedding.vector as v
            where v.set_id = _set.set_id and v.chunk_id = twin.chunk_id
            union all
            select v.embedding
            from embedding.cold_vector as v
            where v.set_id = _set.set_id and v.chunk_id = twin.chunk_id
        ) as r
        where c.chunk_id = any(_ids)
    ) as t;
    if cardinality(_reused) > 0 then
        perform embedding.store_filled(_set.name, _reused, _vectors, embedded => 0);
    end if;

    return query
    select distinct on (c.embedding_hash)
        c.chunk_id, embedding.text_of(v.title, c.content)
    from corpus.chunk as c
    inner join corpus.version as v on c.version_id = v.version_id
    where c.chunk_id = any(_ids) and c.chunk_id <> all(_reused)
    order by c.embedding_hash, c.chunk_id;
end;
$$;

COMMENT ON FUNCTION embedding.claim_chunks(set_name text, batch_size integer, lease interval) IS 'Hand a worker chunks that lack their vector in a set, hidden from others for one lease or until its connection ends.';

REVOKE ALL ON FUNCTION embedding.claim_chunks(set_name text, batch_size integer, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.claim_chunks(set_name text, batch_size integer, lease interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.claim_chunks(set_name text, batch_size integer, lease interval) TO pgkb_admin;

CREATE FUNCTION embedding.drop_set(name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '1s'
    AS $$
declare
    _set embedding.set;
begin
    -- no switch to it meanwhile
    perform pg_advisory_xact_lock(hashtextextended('embedding.activate', 4));
    _set := embedding.named_set(coalesce(drop_set.name, ''));
    if _set.active then
        raise exception 'embedding set "%" is the active one', _set.name
            using errcode = 'VE012', hint = 'Switch to another set first: embedding.activate.';
    end if;
    delete from embedding.cold_vector as k where k.set_id = _set.set_id;
    delete from embedding.set as s where s.set_id = _set.set_id;
    perform audit.write_event('embedding_set_dropped', _set.name);
    -- last, as searches wait while it is held
    execute format('drop table embedding.vector_%s', _set.set_id);
end;
$$;

COMMENT ON FUNCTION embedding.drop_set(name text) IS 'Remove an embedding set with all its vectors; the active one is refused.';

REVOKE ALL ON FUNCTION embedding.drop_set(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.drop_set(name text) TO pgkb_admin;

CREATE FUNCTION embedding.estimate_fill(set_name text) RETURNS TABLE(chunks bigint, texts bigint, characters bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with wanted_text as (
        select
            c.embedding_hash,
            count(*) as chunks,
            max(length(embedding.text_of(v.title, c.content))) as characters,
            bool_or(exists (
                select
                from corpus.chunk as t
                inner join embedding.vector as e on t.chunk_id = e.chunk_id and e.set_id = s.set_id
                where t.embedding_hash = c.embedding_hash
            )) as known
        from embedding.named_set(estimate_fill.set_name) as s
        inner join embedding.wanted_vector as w on s.set_id = w.set_id
        inner join corpus.chunk as c on w.chunk_id = c.chunk_id
        inner join corpus.version as v on c.version_id = v.version_id
        group by c.embedding_hash
    )

    select
        coalesce(sum(t.chunks), 0)::bigint,
        count(*) filter (where not t.known),
        coalesce(sum(t.characters) filter (where not t.known), 0)::bigint
    from wanted_text as t;
$$;

COMMENT ON FUNCTION embedding.estimate_fill(set_name text) IS 'What filling a set still takes: chunks that wait, texts that have to be embedded for them, and the characters in those.';

REVOKE ALL ON FUNCTION embedding.estimate_fill(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.estimate_fill(set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.estimate_fill(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.expansion_revision() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(sum(p.revision), 0)::bigint from terms.pack as p;
$$;

COMMENT ON FUNCTION embedding.expansion_revision() IS 'Grows whenever synonyms or topics change, so that older cached questions are not used.';

REVOKE ALL ON FUNCTION embedding.expansion_revision() FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.expansion_revision() TO pgkb_app;
GRANT ALL ON FUNCTION embedding.expansion_revision() TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.expansion_revision() TO pgkb_admin;

CREATE FUNCTION embedding.fill_is_over(set_name text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select not exists (
        select
        from embedding.named_set(fill_is_over.set_name) as s
        inner join embedding.wanted_vector as w on s.set_id = w.set_id
        where not w.failed
    );
$$;

COMMENT ON FUNCTION embedding.fill_is_over(set_name text) IS 'Whether no chunk waits for its vector in a set, but for those that were given up.';

REVOKE ALL ON FUNCTION embedding.fill_is_over(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.fill_is_over(set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.fill_is_over(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.index_statements(set_id integer) RETURNS TABLE(index_name text, statement text)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select
        i.name,
        format(
            'create index concurrently %I on embedding.%I using hnsw (%s) '
            'with (m = %s, ef_construction = %s)%s',
            i.name,
            'vector_' || s.set_id,
            case s.index_kind
                when 'binary' then format(
                    '(public.binary_quantize(embedding)::bit(%s)) public.bit_hamming_ops', s.width
                )
                else format(
                    '(embedding::public.halfvec(%s)) public.halfvec_cosine_ops', s.width
                )
            end,
            s.index_m,
            s.index_ef_construction,
            i.condition
        )
    from embedding.set as s
    inner join corpus.scope as n on n.kind = 'national'
    cross join lateral (
        values
            (format('vector_%s_hnsw_idx', s.set_id), ''),
            (
                format('vector_%s_national_idx', s.set_id),
                format(' where scope_id = %s', n.scope_id)
            )
    ) as i (name, condition)
    where s.set_id = index_statements.set_id;
$$;

COMMENT ON FUNCTION embedding.index_statements(set_id integer) IS 'The indexes that searches of a set read, each with the statement that builds it while the searches go on.';

REVOKE ALL ON FUNCTION embedding.index_statements(set_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.index_statements(set_id integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.index_statements(set_id integer) TO pgkb_admin;

CREATE FUNCTION embedding.missing_indexes(set_id integer) RETURNS TABLE(index_name text, statement text, broken boolean)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select x.index_name, x.statement, i.indexrelid is not null
    from embedding.index_statements(missing_indexes.set_id) as x
    left join pg_index as i
        on i.indexrelid = to_regclass('embedding.' || quote_ident(x.index_name))
    where i.indisvalid is not true;
$$;

COMMENT ON FUNCTION embedding.missing_indexes(set_id integer) IS 'The indexes a set lacks or has from a build that broke, each with the statement that builds it.';

REVOKE ALL ON FUNCTION embedding.missing_indexes(set_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.missing_indexes(set_id integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.missing_indexes(set_id integer) TO pgkb_admin;

CREATE FUNCTION embedding.named_set(set_name text) RETURNS embedding.set
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set embedding.set;
begin
    if named_set.set_name is null then
        return embedding.active_set();
    end if;
    select s.* into _set from embedding.set as s where s.name = named_set.set_name;
    if not found then
        raise exception 'there is no embedding set "%"', left(named_set.set_name, 60)
            using errcode = 'VE005', hint = 'See: select name, model, width from embedding.set;';
    end if;
    return _set;
end;
$$;

COMMENT ON FUNCTION embedding.named_set(set_name text) IS 'The embedding set of that name; NULL is the active one.';

REVOKE ALL ON FUNCTION embedding.named_set(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.named_set(set_name text) TO pgkb_app;
GRANT ALL ON FUNCTION embedding.named_set(set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.named_set(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.previous_set() RETURNS embedding.set
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set embedding.set;
begin
    select s.* into _set
    from embedding.set as s
    where not s.active and s.state = 'ready' and s.replaced_at is not null
    order by s.replaced_at desc
    limit 1;
    if not found then
        raise exception 'there is no embedding set to go back to'
            using errcode = 'VE014',
                  hint = 'A set is kept until it is stopped or dropped: select * from embedding.fill_progress;';
    end if;
    return _set;
end;
$$;

COMMENT ON FUNCTION embedding.previous_set() IS 'The set that was active before and is kept up: where embedding.activate goes back to.';

REVOKE ALL ON FUNCTION embedding.previous_set() FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.previous_set() TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.previous_set() TO pgkb_admin;

CREATE FUNCTION embedding.purge_queries() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _purged integer;
begin
    delete from embedding.query_cache as q
    where
        q.expires_at <= now()
        or q.expansion_revision <> embedding.expansion_revision()
        or q.model <> (select s.model from embedding.set as s where s.set_id = q.set_id);
    get diagnostics _purged = row_count;
    return _purged;
end;
$$;

COMMENT ON FUNCTION embedding.purge_queries() IS 'Remove the cached questions that can no longer be used; returns how many.';

REVOKE ALL ON FUNCTION embedding.purge_queries() FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.purge_queries() TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.purge_queries() TO pgkb_admin;

CREATE FUNCTION embedding.question_hash(question text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select sha256(convert_to(terms.fold_text(question_hash.question), 'UTF8'));
$$;

COMMENT ON FUNCTION embedding.question_hash(question text) IS 'SHA-256 of the folded question: what stands in the cache instead of the question.';

REVOKE ALL ON FUNCTION embedding.question_hash(question text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.question_hash(question text) TO pgkb_app;
GRANT ALL ON FUNCTION embedding.question_hash(question text) TO pgkb_admin;

CREATE FUNCTION embedding.release_chunks(set_name text, chunk_ids bigint[], reason text, pause interval DEFAULT '00:00:00'::interval, final boolean DEFAULT false) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    update embedding.wanted_vector as w
    set
        holder_pid = null,
        ready_at = clock_timestamp() + release_chunks.pause,
        -- a provider that is down is not the chunk's fault
        attempts = greatest(0, w.attempts - 1),
        failed = release_chunks.final,
        last_error = left(release_chunks.reason, 500)
    where
        w.set_id = (embedding.named_set(release_chunks.set_name)).set_id
        and w.holder_pid = pg_backend_pid()
        -- chunks of the same text were claimed together with these
        and w.chunk_id in (
            select t.chunk_id
            from corpus.chunk as c
            inner join corpus.chunk as t on c.embedding_hash = t.embedding_hash
            where c.chunk_id = any(release_chunks.chunk_ids)
        );
$$;

COMMENT ON FUNCTION embedding.release_chunks(set_name text, chunk_ids bigint[], reason text, pause interval, final boolean) IS 'Give claimed chunks back after a failure: to be claimed again after a while, or given up when final.';

REVOKE ALL ON FUNCTION embedding.release_chunks(set_name text, chunk_ids bigint[], reason text, pause interval, final boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.release_chunks(set_name text, chunk_ids bigint[], reason text, pause interval, final boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.release_chunks(set_name text, chunk_ids bigint[], reason text, pause interval, final boolean) TO pgkb_admin;

CREATE FUNCTION embedding.remember_query(viewer text, question text, given public.vector, set_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set embedding.set := embedding.named_set(remember_query.set_name);
    _days integer := config.value('kb.query_cache_days')::integer;
begin
    if _days = 0 or remember_query.viewer is null or remember_query.question is null
        -- longer than any name, and than an index holds
        or octet_length(remember_query.viewer) > 1000
    then
        return;
    end if;
    insert into embedding.query_cache
        (login, viewer, question_hash, set_id, model, expansion_revision, embedding, expires_at)
    values (
        session_user,
        remember_query.viewer,
        embedding.question_hash(remember_query.question),
        _set.set_id,
        _set.model,
        embedding.expansion_revision(),
        embedding.check_vector(remember_query.given, _set),
        now() + make_interval(days => _days)
    )
    on conflict on constraint query_cache_pk do update set
        embedding = excluded.embedding, expires_at = excluded.expires_at;
end;
$$;

COMMENT ON FUNCTION embedding.remember_query(viewer text, question text, given public.vector, set_name text) IS 'Keep the vector of a question for this viewer of this login until kb.query_cache_days are over.';

REVOKE ALL ON FUNCTION embedding.remember_query(viewer text, question text, given public.vector, set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.remember_query(viewer text, question text, given public.vector, set_name text) TO pgkb_app;
GRANT ALL ON FUNCTION embedding.remember_query(viewer text, question text, given public.vector, set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.searched_set(set_name text) RETURNS embedding.set
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set embedding.set := embedding.named_set(searched_set.set_name);
begin
    if not _set.active and _set.state <> 'ready' then
        raise exception 'embedding set "%" is not searched', _set.name
            using errcode = 'VE010',
                  hint = 'Embed with the model of the active set: select * from embedding.active_set();';
    end if;
    return _set;
end;
$$;

COMMENT ON FUNCTION embedding.searched_set(set_name text) IS 'The set a search is to use: the active one, or the one its vector was made for while that is kept whole.';

REVOKE ALL ON FUNCTION embedding.searched_set(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.searched_set(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.set_endpoint(name text, url text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _set embedding.set := embedding.named_set(coalesce(set_endpoint.name, ''));
begin
    -- no user or password in it: it stands in a table that many may read
    if set_endpoint.url !~ '^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[^\s@?#]*)?$'
        and set_endpoint.url !~ '^http://(127(\.[0-9]{1,3}){3}|localhost|\[::1\])(:[0-9]{1,5})?(/[^\s@?#]*)?$'
    then
        raise exception 'the endpoint of embedding set "%" cannot be used', _set.name
            using errcode = 'VE013',
                  hint = 'Give https://host/path, or http:// with a loopback address, without user, query or fragment.';
    end if;
    update embedding.set as s set endpoint_url = set_endpoint.url where s.set_id = _set.set_id;
    perform audit.write_event('embedding_endpoint_set', _set.name);
end;
$_$;

COMMENT ON FUNCTION embedding.set_endpoint(name text, url text) IS 'Set the OpenAI-compatible address that embedding.embed_text asks for a set''s vectors; NULL is none.';

REVOKE ALL ON FUNCTION embedding.set_endpoint(name text, url text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.set_endpoint(name text, url text) TO pgkb_admin;

CREATE FUNCTION embedding.start_fill(set_name text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set embedding.set := embedding.named_set(start_fill.set_name);
    _waiting bigint;
begin
    update embedding.set as s
    set state = 'filling'
    where s.set_id = _set.set_id and s.state = 'idle';
    if found then
        delete from embedding.fill_batch as b where b.set_id = _set.set_id;
    end if;
    insert into embedding.wanted_vector (set_id, chunk_id, scope_id, searched)
    select _set.set_id, c.chunk_id, c.scope_id, v.state = 'published'
    from corpus.chunk as c
    inner join corpus.version as v on c.version_id = v.version_id
    where
        not exists (
            select
            from embedding.vector as w
            where w.set_id = _set.set_id and w.chunk_id = c.chunk_id
        )
        and not exists (
            select
            from embedding.cold_vector as k
            where k.set_id = _set.set_id and k.chunk_id = c.chunk_id
        )
        -- whoever publishes a staged version sees to its vectors in the active set
        and not (_set.active and v.state = 'staged')
    on conflict do nothing;
    update embedding.wanted_vector as w
    set failed = false, attempts = 0, ready_at = clock_timestamp(), last_error = null
    where w.set_id = _set.set_id and w.failed;
    select count(*) into _waiting
    from embedding.wanted_vector as w
    where w.set_id = _set.set_id;
    return _waiting;
end;
$$;

COMMENT ON FUNCTION embedding.start_fill(set_name text) IS 'Note every chunk that lacks its vector in a set, and keep noting those of new documents; returns how many wait.';

REVOKE ALL ON FUNCTION embedding.start_fill(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.start_fill(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.stop_fill(set_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set embedding.set;
begin
    perform pg_advisory_xact_lock(hashtextextended('embedding.activate', 4));
    _set := embedding.named_set(coalesce(stop_fill.set_name, ''));
    if _set.active then
        raise exception 'embedding set "%" is the active one', _set.name
            using errcode = 'VE012', hint = 'Switch to another set first: embedding.activate.';
    end if;
    update embedding.set as s set state = 'idle' where s.set_id = _set.set_id;
    delete from embedding.wanted_vector as w where w.set_id = _set.set_id;
end;
$$;

COMMENT ON FUNCTION embedding.stop_fill(set_name text) IS 'Stop seeing to a set''s vectors: nothing is kept up any more, what is there stays; the active set is refused.';

REVOKE ALL ON FUNCTION embedding.stop_fill(set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.stop_fill(set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.store_filled(set_name text, chunk_ids bigint[], vectors text[], embedded integer DEFAULT NULL::integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set embedding.set := embedding.named_set(store_filled.set_name);
    _given integer := cardinality(store_filled.chunk_ids);
    _ids bigint[];
    _twins bigint[];
    _vectors text[];
begin
    -- two workers whose texts are the same must not wait for each other
    perform
    from embedding.wanted_vector as w
    where
        w.set_id = _set.set_id
        and w.chunk_id in (
            select t.chunk_id
            from corpus.chunk as c
            inner join corpus.chunk as t on c.embedding_hash = t.embedding_hash
            where c.chunk_id = any(store_filled.chunk_ids)
        )
    order by w.chunk_id
    for update;
    perform embedding.store_vectors(store_filled.chunk_ids, store_filled.vectors, _set.name);
    select coalesce(array_agg(s.chunk_id), '{}'), coalesce(array_agg(s.given), '{}')
    into _twins, _vectors
    from (
        select distinct on (t.chunk_id) t.chunk_id, u.given
        from unnest(store_filled.chunk_ids, store_filled.vectors) as u (chunk_id, given)
        inner join corpus.chunk as c on u.chunk_id = c.chunk_id
        inner join corpus.chunk as t on c.embedding_hash = t.embedding_hash
        inner join embedding.wanted_vector as w
            on t.chunk_id = w.chunk_id and w.set_id = _set.set_id
        where t.chunk_id <> all(store_filled.chunk_ids)
    ) as s;
    if cardinality(_twins) > 0 then
        perform embedding.store_vectors(_twins, _vectors, _set.name);
    end if;
    _ids := store_filled.chunk_ids || _twins;
    delete from embedding.wanted_vector as w
    where w.set_id = _set.set_id and w.chunk_id = any(_ids);
    insert into embedding.fill_batch (set_id, embedded, reused)
    values (
        _set.set_id,
        coalesce(store_filled.embedded, _given),
        cardinality(_ids) - coalesce(store_filled.embedded, _given)
    );
    return cardinality(_ids);
end;
$$;

COMMENT ON FUNCTION embedding.store_filled(set_name text, chunk_ids bigint[], vectors text[], embedded integer) IS 'Store the vectors of claimed chunks, and the same for every waiting chunk of the same text; returns how many chunks got one.';

REVOKE ALL ON FUNCTION embedding.store_filled(set_name text, chunk_ids bigint[], vectors text[], embedded integer) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.store_filled(set_name text, chunk_ids bigint[], vectors text[], embedded integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.store_filled(set_name text, chunk_ids bigint[], vectors text[], embedded integer) TO pgkb_admin;

CREATE FUNCTION embedding.store_vectors(chunk_ids bigint[], vectors text[], set_name text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set embedding.set := embedding.named_set(store_vectors.set_name);
    _checked public.halfvec[];
    _cold integer;
    _live integer;
begin
    if cardinality(store_vectors.chunk_ids) is distinct from cardinality(store_vectors.vectors)
        or array_position(store_vectors.chunk_ids, null) is not null
        or cardinality(store_vectors.chunk_ids) <> (
            select count(distinct u.id) from unnest(store_vectors.chunk_ids) as u (id)
        )
    then
        raise exception 'chunks and vectors do not pair up'
            using errcode = 'VE007', hint = 'Give one vector for each chunk, each chunk once.';
    end if;
    begin
        select array_agg(embedding.check_vector(u.given::public.vector, _set) order by u.n)
        into _checked
        from unnest(store_vectors.vectors) with ordinality as u (given, n);
    exception
        when invalid_text_representation or data_exception or numeric_value_out_of_range
            or program_limit_exceeded
        then
            raise exception 'a vector of % (width %) is not a vector: %',
                _set.model, _set.width, sqlerrm
                using errcode = 'VE003', hint = 'It may hold NaN or infinity: embed the text again.';
    end;

    -- a chunk that is published or withdrawn meanwhile must not get its vector on the wrong side
    perform from corpus.version as v
    where v.version_id in (
        select c.version_id from corpus.chunk as c where c.chunk_id = any(store_vectors.chunk_ids)
    )
    order by v.version_id
    for share;

    insert into embedding.cold_vector (set_id, chunk_id, embedding)
    select _set.set_id, c.chunk_id, u.checked
    from unnest(store_vectors.chunk_ids, _checked) as u (chunk_id, checked)
    inner join corpus.chunk as c on u.chunk_id = c.chunk_id
    inner join corpus.version as v on c.version_id = v.version_id
    where v.state <> 'published'
    on conflict do nothing;
    get diagnostics _cold = row_count;

    insert into embedding.vector (set_id, chunk_id, scope_id, embedding)
    select _set.set_id, c.chunk_id, c.scope_id, u.checked
    from unnest(store_vectors.chunk_ids, _checked) as u (chunk_id, checked)
    inner join corpus.chunk as c on u.chunk_id = c.chunk_id
    inner join corpus.version as v on c.version_id = v.version_id
    where v.state = 'published'
    on conflict do nothing;
    get diagnostics _live = row_count;
    return _cold + _live;
end;
$$;

COMMENT ON FUNCTION embedding.store_vectors(chunk_ids bigint[], vectors text[], set_name text) IS 'Store vectors of chunks in a set (the active one when not named); returns how many were new. All or none.';

REVOKE ALL ON FUNCTION embedding.store_vectors(chunk_ids bigint[], vectors text[], set_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.store_vectors(chunk_ids bigint[], vectors text[], set_name text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.store_vectors(chunk_ids bigint[], vectors text[], set_name text) TO pgkb_admin;

CREATE FUNCTION embedding.text_of(title text, content text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(nullif(btrim(text_of.title), '') || E'\n', '') || text_of.content;
$$;

COMMENT ON FUNCTION embedding.text_of(title text, content text) IS 'What is sent to the model for a chunk: the title, so that a passage knows what it is about, and the passage.';

REVOKE ALL ON FUNCTION embedding.text_of(title text, content text) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.text_of(title text, content text) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.text_of(title text, content text) TO pgkb_admin;

CREATE FUNCTION embedding.want_version(version_id bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    insert into embedding.wanted_vector as w (set_id, chunk_id, scope_id, searched)
    select s.set_id, c.chunk_id, c.scope_id, true
    from embedding.set as s
    inner join corpus.chunk as c on c.version_id = want_version.version_id
    where
        s.state <> 'idle'
        and not s.active
        and not exists (
            select
            from embedding.vector as v
            where v.set_id = s.set_id and v.chunk_id = c.chunk_id
        )
    on conflict on constraint wanted_vector_pk do update set searched = true
    where not w.searched;
$$;

COMMENT ON FUNCTION embedding.want_version(version_id bigint) IS 'Note the chunks of a version that lack their vector in a set that is filled or kept up beside the active one.';

REVOKE ALL ON FUNCTION embedding.want_version(version_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION embedding.want_version(version_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION embedding.want_version(version_id bigint) TO pgkb_admin;

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
    AS $$
declare
    _before jsonb;   -- the settings of the session, given back at the end
    _run eval.run;
    _set_id integer;
    _active embedding.set := embedding.active_set();
    _question record;
    _started timestamptz;
    _milliseconds double precision;
    _found bigint[];
    _documents text[];
    _gains integer[];
    _judged integer[];
    _left bigint;
begin
    select r.* into _run from eval.run as r where r.run_id = answer.run_id;
    if not found then
        raise exception 'there is no run %', answer.run_id
            using errcode = 'JU005', hint = 'Begin one: select eval.start_run(set_name);';
    end if;
    _set_id := (eval.named_set(_run.set_name)).question_set_id;
    _before := eval.use_settings(_run.settings);
    for _question in
        select
            q.*, v.embedding::public.vector as query_vec, s.la_code, s.home_la_code, s.school_urn
        from eval.question as q
        cross join lateral search.scope_of(q.la, q.home_la, q.urn) as s
        left join eval.question_vector as v
            on q.question_id = v.question_id and v.set_id = _active.set_id
        where
            q.question_set_id = _set_id
            and not exists (
                select
                from eval.outcome as o
                where o.run_id = _run.run_id and o.question_key = q.question_key
            )
        order by q.question_id
        limit answer.at_most
    loop
        _started := clock_timestamp();
        _found := array(
            select r.document_id
            from public.search_kb(
                query_vec => case when _run.mode <> 'keyword' then _question.query_vec end,
                tsquery => case
                    when _run.mode <> 'vector' then terms.build_tsquery(
                        _question.question, terms.expand_query(_question.question)
                    )
                end,
                la => _question.la_code,
                home_la => _question.home_la_code,
                urn => _question.school_urn,
                tags => _question.tags,
                as_of => _question.as_of,
                topics => terms.topics_for(_question.question),
                embedding_set => _active.name
            ) with ordinality as r
            order by r.ordinality
        );
        _milliseconds := extract(epoch from clock_timestamp() - _started) * 1000;
        _documents := array(
            select eval.document_name(_set_id, f.document_id)
            from (
                select u.document_id, min(u.place) as place
                from unnest(_found) with ordinality as u (document_id, place)
                group by u.document_id
            ) as f
            order by f.place
        );
        _gains := array(
            select coalesce(v.grade, 0)
            from unnest(_documents) with ordinality as u (document_key, place)
            left join eval.verdict as v
                on u.document_key = v.document_key and v.question_id = _question.question_id
            order by u.place
        );
        _judged := array(
            select v.grade from eval.verdict as v where v.question_id = _question.question_id
        );
        insert into eval.outcome (
            run_id, question_key, kind, split, documents, milliseconds, ndcg_10, recall_8,
            recall_50, reciprocal_rank, nothing_was_right, forbidden_shown
        )
        values (
            _run.run_id, _question.question_key, _question.kind, _question.split, _documents,
            _milliseconds,
            eval.ndcg(_gains, _judged, 10),
            eval.recall(_gains, _judged, 8),
            eval.recall(_gains, _judged, 50),
            eval.reciprocal_rank(_gains, _judged),
            case
                when not exists (select from unnest(_judged) as j (grade) where j.grade > 0)
                    then cardinality(_documents) = 0
            end,
            (
                select count(*)
                from eval.verdict as v
                where
                    v.question_id = _question.question_id
                    and v.forbidden
                    and v.document_key = any(_documents)
            )
        );
    end loop;
    perform eval.use_settings(_before);

    select count(*) into _left
    from eval.question as q
    where
        q.question_set_id = _set_id
        and not exists (
            select
            from eval.outcome as o
            where o.run_id = _run.run_id and o.question_key = q.question_key
        );
    return _left;
end;
$$;

COMMENT ON FUNCTION eval.answer(run_id bigint, at_most integer) IS 'Ask the next questions of a run the way a person''s question is asked, judge the answers and store both; returns how many questions are left.';

REVOKE ALL ON FUNCTION eval.answer(run_id bigint, at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.answer(run_id bigint, at_most integer) TO pgkb_admin;

CREATE FUNCTION eval.document_name(question_set_id integer, document_id bigint) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(min(d.document_key), 'document ' || document_name.document_id)
    from eval.document as d
    where
        d.question_set_id = document_name.question_set_id
        and d.document_id = document_name.document_id;
$$;

COMMENT ON FUNCTION eval.document_name(question_set_id integer, document_id bigint) IS 'The name that judgements of a set give a stored document: the first where it has several, its number where it has none.';

REVOKE ALL ON FUNCTION eval.document_name(question_set_id integer, document_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.document_name(question_set_id integer, document_id bigint) TO pgkb_admin;

CREATE FUNCTION eval.export_run(run_id bigint) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select to_jsonb(r) || jsonb_build_object('outcomes', (
        select coalesce(jsonb_agg(to_jsonb(o)), '[]') from eval.outcome as o where o.run_id = r.run_id
    ))
    from eval.run as r
    where r.run_id = export_run.run_id;
$$;

COMMENT ON FUNCTION eval.export_run(run_id bigint) IS 'A run with its outcomes as one value, for eval.import_run of another database.';

REVOKE ALL ON FUNCTION eval.export_run(run_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.export_run(run_id bigint) TO pgkb_admin;

CREATE FUNCTION eval.fill_pool(set_name text, depth integer, settings jsonb DEFAULT '{}'::jsonb, at_most integer DEFAULT NULL::integer) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _before jsonb;   -- the settings of the session, given back at the end
    _set eval.question_set := eval.named_set(fill_pool.set_name);
    _active embedding.set := embedding.active_set();
    _question record;
    _asked search.request;
    _hits search.ranked_hit[];
    _left bigint;
begin
    perform eval.require_vectors(_set);
    _before := eval.use_settings(fill_pool.settings);
    for _question in
        select q.*, v.embedding, s.la_code, s.home_la_code, s.school_urn
        from eval.question as q
        cross join lateral search.scope_of(q.la, q.home_la, q.urn) as s
        inner join eval.question_vector as v
            on q.question_id = v.question_id and v.set_id = _active.set_id
        where
            q.question_set_id = _set.question_set_id
            and not exists (select from eval.pool as p where p.question_id = q.question_id)
        order by q.question_id
        limit fill_pool.at_most
    loop
        _asked := search.resolve_request(
            query_vec => _question.embedding::public.vector,
            tsquery => terms.build_tsquery(
                _question.question, terms.expand_query(_question.question)
            ),
            la => _question.la_code,
            home_la => _question.home_la_code,
            urn => _question.school_urn,
            tags => _question.tags,
            topics => terms.topics_for(_question.question),
            as_of => _question.as_of,
            embedding_set => _active.name
        );
        _hits := (search.rank_candidates(
            request => _asked,
            scopes => array(
                select s
                from search.visible_scopes(_asked.la, _asked.home_la, _asked.urn) as s
            ),
            tags => _asked.tags,
            candidates => fill_pool.depth
        )).hits;
        insert into eval.pool (question_id, vector_hits, keyword_hits)
        values (
            _question.question_id,
            array(
                select row(h.chunk_id, h.similarity, h.vector_rank)::search.vector_hit
                from unnest(_hits) as h
                where h.vector_rank is not null
                order by h.vector_rank, h.chunk_id
            ),
            array(
                select row(
                    h.chunk_id, h.bm25_score, h.bm25_rank, h.floor_exempt, false, h.coverage
                )::search.keyword_hit
                from unnest(_hits) as h
                where h.bm25_rank is not null
                order by h.bm25_rank, h.chunk_id
            )
        );
        insert into eval.pool_chunk (question_id, chunk_id, document_key, worth)
        select
            _question.question_id, h.chunk_id,
            eval.document_name(_set.question_set_id, h.document_id),
            h.freshness * h.authority_weight * h.boost
        from unnest(_hits) as h
        where h.dropped_at is null;
    end loop;
    perform eval.use_settings(_before);

    select count(*) into _left
    from eval.question as q
    where
        q.question_set_id = _set.question_set_id
        and not exists (select from eval.pool as p where p.question_id = q.question_id);
    return _left;
end;
$$;

COMMENT ON FUNCTION eval.fill_pool(set_name text, depth integer, settings jsonb, at_most integer) IS 'Run both legs of every question of a set once, to this depth, and keep what fusion needs; returns how many questions are left.';

REVOKE ALL ON FUNCTION eval.fill_pool(set_name text, depth integer, settings jsonb, at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.fill_pool(set_name text, depth integer, settings jsonb, at_most integer) TO pgkb_admin;

CREATE FUNCTION eval.import_run(exported jsonb) RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with run as (
        insert into eval.run (at, set_name, set_digest, mode, settings)
        select r.at, r.set_name, r.set_digest, r.mode, r.settings
        from jsonb_populate_record(null::eval.run, import_run.exported) as r
        returning run_id
    ),

    outcome as (
        insert into eval.outcome (
            run_id, question_key, kind, split, documents, milliseconds, ndcg_10, recall_8,
            recall_50, reciprocal_rank, nothing_was_right, forbidden_shown
        )
        select
            run.run_id, o.question_key, o.kind, o.split, o.documents, o.milliseconds, o.ndcg_10,
            o.recall_8, o.recall_50, o.reciprocal_rank, o.nothing_was_right, o.forbidden_shown
        from run
        cross join jsonb_populate_recordset(
            null::eval.outcome, import_run.exported -> 'outcomes'
        ) as o
    )

    select run.run_id from run;
$$;

COMMENT ON FUNCTION eval.import_run(exported jsonb) IS 'Keep a run that was made in another database; returns its number here.';

REVOKE ALL ON FUNCTION eval.import_run(exported jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.import_run(exported jsonb) TO pgkb_admin;

CREATE FUNCTION eval.load_set(name text, digest bytea, questions jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set_id integer;
    _bad text;
begin
    perform pg_advisory_xact_lock(hashtextextended('eval.load_set ' || load_set.name, 5));
    select s.question_set_id into _set_id
    from eval.question_set as s
    where s.name = load_set.name and s.digest = load_set.digest;
    if found then
        return _set_id;
    end if;

    select coalesce(q.value ->> 'id', 'without id') into _bad
    from jsonb_array_elements(load_set.questions) as q
    where
        coalesce(q.value ->> 'id', '') !~ '\S'
        or coalesce(q.value ->> 'question', '') !~ '\S'
        or coalesce(q.value ->> 'split', 'held-out') not in ('tune', 'held-out')
    limit 1;
    if found then
        raise exception 'the question "%" cannot be used', left(_bad, 60)
            using errcode = 'JU003',
                  hint = 'Give it an id, words, and the split tune or held-out.';
    end if;

    delete from eval.question_set as s where s.name = load_set.name;
    insert into eval.question_set (name, digest)
    values (load_set.name, load_set.digest)
    returning question_set_id into _set_id;
    insert into eval.question (
        question_set_id, question_key, kind, split, question, la, home_la, urn, tags, as_of, note
    )
    select
        _set_id, q.id, coalesce(q.kind, 'plain'), coalesce(q.split, 'held-out'), q.question,
        q.la, q.home_la, q.urn, q.tags, q.as_of, coalesce(q.note, '')
    from jsonb_to_recordset(load_set.questions) as q (
        id text, kind text, split text, question text, la text, home_la text, urn text,
        tags text[], as_of date, note text
    );
    insert into eval.judgement (question_id, document_key, grade, forbidden)
    select w.question_id, j.document_key, j.grade, j.forbidden
    from jsonb_to_recordset(load_set.questions) as q (id text, relevant jsonb, forbidden text[])
    inner join eval.question as w on q.id = w.question_key and w.question_set_id = _set_id
    cross join lateral (
        select r.document, r.grade, false
        from jsonb_to_recordset(coalesce(q.relevant, '[]')) as r (document text, grade integer)
        union all
        select f.document, 0, true
        from unnest(q.forbidden) as f (document)
    ) as j (document_key, grade, forbidden);
    return _set_id;
end;
$$;

COMMENT ON FUNCTION eval.load_set(name text, digest bytea, questions jsonb) IS 'Replace a set of judged questions by another version of it; nothing changes when the digest is the same.';

REVOKE ALL ON FUNCTION eval.load_set(name text, digest bytea, questions jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.load_set(name text, digest bytea, questions jsonb) TO pgkb_admin;

CREATE FUNCTION eval.name_documents(set_name text, document_keys text[], document_ids bigint[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set_id integer := (eval.named_set(name_documents.set_name)).question_set_id;
    _count integer;
begin
    delete from eval.document as d where d.question_set_id = _set_id;
    insert into eval.document (question_set_id, document_key, document_id)
    select _set_id, u.document_key, u.document_id
    from unnest(name_documents.document_keys, name_documents.document_ids)
        as u (document_key, document_id);
    get diagnostics _count = row_count;
    return _count;
end;
$$;

COMMENT ON FUNCTION eval.name_documents(set_name text, document_keys text[], document_ids bigint[]) IS 'Say which stored document each name in a set''s judgements means; replaces what was said before.';

REVOKE ALL ON FUNCTION eval.name_documents(set_name text, document_keys text[], document_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.name_documents(set_name text, document_keys text[], document_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION eval.named_set(name text) RETURNS eval.question_set
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set eval.question_set;
begin
    select s.* into _set from eval.question_set as s where s.name = named_set.name;
    if not found then
        raise exception 'there is no set of judged questions "%"', left(named_set.name, 60)
            using errcode = 'JU001', hint = 'See: select name from eval.question_set;';
    end if;
    return _set;
end;
$$;

COMMENT ON FUNCTION eval.named_set(name text) IS 'The set of judged questions with this name.';

REVOKE ALL ON FUNCTION eval.named_set(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.named_set(name text) TO pgkb_admin;

CREATE FUNCTION eval.ndcg(gains integer[], judged integer[], depth integer) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select reached.dcg / nullif(best.dcg, 0)
    from (
        select coalesce(sum(greatest(g.grade, 0) / log(2, g.place + 1)), 0)::double precision as dcg
        from unnest(ndcg.gains) with ordinality as g (grade, place)
        where g.place <= ndcg.depth
    ) as reached
    cross join (
        select coalesce(sum(j.grade / log(2, j.place + 1)), 0)::double precision as dcg
        from (
            select u.grade, row_number() over (order by u.grade desc) as place
            from unnest(ndcg.judged) as u (grade)
            where u.grade > 0
        ) as j
        where j.place <= ndcg.depth
    ) as best;
$$;

COMMENT ON FUNCTION eval.ndcg(gains integer[], judged integer[], depth integer) IS 'Normalised discounted cumulative gain to a depth: gains in the order of the answer against the best order of all judged grades; NULL when none is over 0.';

REVOKE ALL ON FUNCTION eval.ndcg(gains integer[], judged integer[], depth integer) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.ndcg(gains integer[], judged integer[], depth integer) TO pgkb_admin;

CREATE FUNCTION eval.previous_run(run_id bigint) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select max(e.run_id)
    from eval.run as r
    inner join eval.run as e
        on r.set_name = e.set_name
        and r.set_digest = e.set_digest
        and r.mode = e.mode
        and r.settings = e.settings
        and r.run_id > e.run_id
    where r.run_id = previous_run.run_id;
$$;

COMMENT ON FUNCTION eval.previous_run(run_id bigint) IS 'The last run before this one of the same questions in the same way, to compare with; NULL when there is none.';

REVOKE ALL ON FUNCTION eval.previous_run(run_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.previous_run(run_id bigint) TO pgkb_admin;

CREATE FUNCTION eval.recall(gains integer[], judged integer[], depth integer) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select
        (select count(*) from unnest(recall.gains[1:recall.depth]) as g (grade) where g.grade > 0)
        ::double precision
        / nullif((select count(*) from unnest(recall.judged) as j (grade) where j.grade > 0), 0);
$$;

COMMENT ON FUNCTION eval.recall(gains integer[], judged integer[], depth integer) IS 'Share of the relevant documents that stand among the first of the answer; NULL when nothing is relevant.';

REVOKE ALL ON FUNCTION eval.recall(gains integer[], judged integer[], depth integer) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.recall(gains integer[], judged integer[], depth integer) TO pgkb_admin;

CREATE FUNCTION eval.reciprocal_rank(gains integer[], judged integer[]) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case
        when exists (select from unnest(reciprocal_rank.judged) as j (grade) where j.grade > 0) then
            coalesce((
                select 1.0 / min(g.place)
                from unnest(reciprocal_rank.gains) with ordinality as g (grade, place)
                where g.grade > 0
            ), 0)
    end::double precision;
$$;

COMMENT ON FUNCTION eval.reciprocal_rank(gains integer[], judged integer[]) IS 'One over the rank of the first relevant document, 0 when none is shown; NULL when nothing is relevant.';

REVOKE ALL ON FUNCTION eval.reciprocal_rank(gains integer[], judged integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.reciprocal_rank(gains integer[], judged integer[]) TO pgkb_admin;

CREATE FUNCTION eval.require_vectors(question_set eval.question_set) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _active embedding.set := embedding.active_set();
begin
    if exists (
        select
        from eval.question as q
        where
            q.question_set_id = require_vectors.question_set.question_set_id
            and not exists (
                select
                from eval.question_vector as v
                where v.question_id = q.question_id and v.set_id = _active.set_id
            )
    ) then
        raise exception 'questions of "%" have no vector in the set %',
            require_vectors.question_set.name, _active.name
            using errcode = 'JU004', hint = 'Store them first: eval.store_vectors.';
    end if;
end;
$$;

COMMENT ON FUNCTION eval.require_vectors(question_set eval.question_set) IS 'Refuse a set whose questions lack their vectors in the active embedding set.';

REVOKE ALL ON FUNCTION eval.require_vectors(question_set eval.question_set) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.require_vectors(question_set eval.question_set) TO pgkb_admin;

CREATE FUNCTION eval.start_run(set_name text, mode text DEFAULT 'hybrid'::text, settings jsonb DEFAULT '{}'::jsonb) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set eval.question_set := eval.named_set(start_run.set_name);
    _run_id bigint;
begin
    if coalesce(start_run.mode, '') not in ('vector', 'keyword', 'hybrid') then
        raise exception 'there is no mode "%"', left(start_run.mode, 60)
            using errcode = 'JU002', hint = 'Give vector, keyword or hybrid.';
    end if;
    -- only to have each refused now, not at the first question
    perform eval.use_settings(eval.use_settings(start_run.settings));
    if start_run.mode <> 'keyword' then
        perform eval.require_vectors(_set);
    end if;
    insert into eval.run (set_name, set_digest, mode, settings)
    values (_set.name, _set.digest, start_run.mode, start_run.settings)
    returning run_id into _run_id;
    return _run_id;
end;
$$;

COMMENT ON FUNCTION eval.start_run(set_name text, mode text, settings jsonb) IS 'Begin a run of a set: mode vector, keyword or hybrid, with settings kb.* changed for it; eval.answer goes on.';

REVOKE ALL ON FUNCTION eval.start_run(set_name text, mode text, settings jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.start_run(set_name text, mode text, settings jsonb) TO pgkb_admin;

CREATE FUNCTION eval.store_vectors(set_name text, question_keys text[], vectors text[]) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set_id integer := (eval.named_set(store_vectors.set_name)).question_set_id;
    _active embedding.set := embedding.active_set();
    _count integer;
begin
    insert into eval.question_vector as v (question_id, set_id, embedding)
    select
        q.question_id, _active.set_id,
        embedding.check_vector(u.given::public.vector, _active)
    from unnest(store_vectors.question_keys, store_vectors.vectors) as u (question_key, given)
    inner join eval.question as q
        on u.question_key = q.question_key and q.question_set_id = _set_id
    on conflict on constraint question_vector_pk do update set embedding = excluded.embedding;
    get diagnostics _count = row_count;
    return _count;
end;
$$;

COMMENT ON FUNCTION eval.store_vectors(set_name text, question_keys text[], vectors text[]) IS 'Store the vectors of a set''s questions for the active embedding set; returns how many there are.';

REVOKE ALL ON FUNCTION eval.store_vectors(set_name text, question_keys text[], vectors text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.store_vectors(set_name text, question_keys text[], vectors text[]) TO pgkb_admin;

CREATE FUNCTION eval.sweep(set_name text, candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision) RETURNS TABLE(question_key text, split text, ndcg_10 double precision, recall_8 double precision, reciprocal_rank double precision)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with fused_document as (
        select
            p.question_id,
            c.document_key,
            max(f.rrf_raw * c.worth) as score,
            -- equal scores stand in the order of their chunks, as in search.assemble
            min(f.chunk_id) as first_chunk
        from eval.pool as p
        inner join eval.question as q on p.question_id = q.question_id
        cross join lateral search.fuse(
            p.vector_hits[1:sweep.candidates], p.keyword_hits[1:sweep.candidates],
            sweep.rrf_k, sweep.vector_weight, sweep.keyword_weight
        ) as f
        inner join eval.pool_chunk as c
            on p.question_id = c.question_id and f.chunk_id = c.chunk_id
        where q.question_set_id = (eval.named_set(sweep.set_name)).question_set_id
        group by p.question_id, c.document_key
    ),

    answer as (
        select
            d.question_id,
            array_agg(coalesce(v.grade, 0) order by d.score desc, d.first_chunk) as gains
        from fused_document as d
        left join eval.verdict as v
            on d.question_id = v.question_id and d.document_key = v.document_key
        group by d.question_id
    ),

    relevant as (
        select v.question_id, array_agg(v.grade) as judged
        from eval.verdict as v
        where v.grade > 0
        group by v.question_id
    )

    select
        q.question_key,
        q.split,
        eval.ndcg(coalesce(a.gains, '{}'), r.judged, 10),
        eval.recall(coalesce(a.gains, '{}'), r.judged, 8),
        eval.reciprocal_rank(coalesce(a.gains, '{}'), r.judged)
    from eval.question as q
    inner join relevant as r on q.question_id = r.question_id
    left join answer as a on q.question_id = a.question_id
    where q.question_set_id = (eval.named_set(sweep.set_name)).question_set_id
    order by q.question_key;
$$;

COMMENT ON FUNCTION eval.sweep(set_name text, candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision) IS 'What one choice of fusion gives for every pooled question of a set: fused anew by search.fuse, weighed, judged.';

REVOKE ALL ON FUNCTION eval.sweep(set_name text, candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.sweep(set_name text, candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision) TO pgkb_admin;

CREATE FUNCTION eval.use_settings(settings jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _before jsonb := '{}';
    _setting record;
begin
    for _setting in select t.key, t.value from jsonb_each_text(use_settings.settings) as t
    loop
        perform config.check_value(_setting.key, nullif(_setting.value, ''));
        _before := _before || jsonb_build_object(
            _setting.key, coalesce(current_setting(_setting.key, true), '')
        );
        perform set_config(_setting.key, coalesce(_setting.value, ''), true);
    end loop;
    return _before;
end;
$$;

COMMENT ON FUNCTION eval.use_settings(settings jsonb) IS 'Set settings kb.* for the rest of the transaction, each checked first; returns what they were, to be given back the same way.';

REVOKE ALL ON FUNCTION eval.use_settings(settings jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION eval.use_settings(settings jsonb) TO pgkb_admin;

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
    AS $$
    with recursive family_code as (
        select place.resolve_authority(authority_family.code) as gss
        union
        select s.gss
        from place.authority_successor as s
        inner join family_code as f on s.successor_gss = f.gss
    )

    select coalesce(array_agg(f.gss order by f.gss), '{}')
    from family_code as f
    where f.gss is not null;
$$;

COMMENT ON FUNCTION place.authority_family(code text) IS 'Every code under which documents of this authority may stand: its own and those it took over from.';

REVOKE ALL ON FUNCTION place.authority_family(code text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.authority_family(code text) TO pgkb_app;
GRANT ALL ON FUNCTION place.authority_family(code text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.authority_family(code text) TO pgkb_admin;

CREATE FUNCTION place.authority_of_postcode(postcode text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _found record;
begin
    select f.la_code, f.problem into _found
    from place.find_postcode(authority_of_postcode.postcode) as f;
    if _found.problem is not null then
        raise exception 'the postcode %', case _found.problem
            when 'malformed' then 'is not one'
            when 'several' then 'is a part that lies in several authorities'
            when 'ended' then 'has ended'
            else 'is not known'
        end
            using errcode = 'PL005',
                  hint = 'Give a full postcode that is in use, or name the authority instead.';
    end if;
    return _found.la_code;
end;
$$;

COMMENT ON FUNCTION place.authority_of_postcode(postcode text) IS 'The education authority that answers for a postcode; refuse one that does not tell.';

REVOKE ALL ON FUNCTION place.authority_of_postcode(postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.authority_of_postcode(postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION place.authority_of_postcode(postcode text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.authority_of_postcode(postcode text) TO pgkb_admin;

CREATE FUNCTION place.check_school(urn text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _la_code text;
begin
    if check_school.urn is null then
        return null;
    end if;
    select s.la_code into _la_code from place.school as s where s.urn = btrim(check_school.urn);
    if not found then
        raise exception 'school "%" is not known', left(check_school.urn, 40)
            using errcode = 'PL002',
                  detail = 'A school is named by its unique reference number of six digits.',
                  hint = 'Look it up: select urn, name from place.school order by name;';
    end if;
    return _la_code;
end;
$$;

COMMENT ON FUNCTION place.check_school(urn text) IS 'The authority of a school; refuse a school that is not known.';

REVOKE ALL ON FUNCTION place.check_school(urn text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.check_school(urn text) TO pgkb_app;
GRANT ALL ON FUNCTION place.check_school(urn text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.check_school(urn text) TO pgkb_admin;

CREATE FUNCTION place.find_authority(code text, postcode text DEFAULT NULL::text, OUT la_code text, OUT named text, OUT successors text[]) RETURNS record
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    _code text := upper(btrim(find_authority.code));
begin
    select a.gss into named from place.authority as a where a.gss = _code;
    if named is null then
        select d.authority_gss into named from place.district as d where d.lad_gss = _code;
    end if;
    if named is null then
        select a.gss into named
        from place.authority as a
        where a.dfe_code = _code
        order by a.status = 'live' desc, a.start_date desc nulls last
        limit 1;
    end if;
    if named is null then
        return;
    end if;
    with recursive reached_code as (
        select find_authority.named as gss
        union
        select s.successor_gss
        from place.authority_successor as s
        inner join reached_code as r on s.gss = r.gss
    )

    select array_agg(r.gss order by r.gss) into successors
    from reached_code as r
    where not exists (select from place.authority_successor as s where s.gss = r.gss);
    if cardinality(successors) = 1 then
        la_code := successors[1];
    elsif find_authority.postcode is not null then
        select f.la_code into la_code
        from place.find_postcode(find_authority.postcode) as f
        where f.la_code = any(successors);
    end if;
end;
$$;

COMMENT ON FUNCTION place.find_authority(code text, postcode text, OUT la_code text, OUT named text, OUT successors text[]) IS 'Follow a GSS code (old or new), a district code or a three-digit DfE code to the live authority; a postcode decides where one was split.';

REVOKE ALL ON FUNCTION place.find_authority(code text, postcode text, OUT la_code text, OUT named text, OUT successors text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION place.find_authority(code text, postcode text, OUT la_code text, OUT named text, OUT successors text[]) TO pgkb_app;
GRANT ALL ON FUNCTION place.find_authority(code text, postcode text, OUT la_code text, OUT named text, OUT successors text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.find_authority(code text, postcode text, OUT la_code text, OUT named text, OUT successors text[]) TO pgkb_admin;

CREATE FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) RETURNS record
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _code text := place.fold_postcode(find_postcode.postcode);
    _lad_gss text;
    _ended boolean;
    _authorities text[];
begin
    if coalesce(find_postcode.postcode, '') !~ '\S' then
        return;
    elsif _code is null then
        problem := 'malformed';
    elsif _code ~ ' ..' then
        select s.lad_gss, right(_code, 2) = any(s.ended_units) into _lad_gss, _ended
        from place.postcode_sector as s
        where s.sector = left(_code, -2) and right(_code, 2) = any(s.units || s.ended_units);
        la_code := (select a.la_code from place.find_authority(_lad_gss) as a);
        problem := case when la_code is null then 'unknown' when _ended then 'ended' end;
    else
        select array_agg(distinct a.la_code) into _authorities
        from (
            select distinct s.lad_gss
            from place.postcode_sector as s
            where
                s.sector = _code
                or (s.sector >= _code || ' 0' and s.sector <= _code || ' 9')
        ) as d
        cross join lateral place.find_authority(d.lad_gss) as a;
        if cardinality(_authorities) = 1 then
            la_code := _authorities[1];
        end if;
        problem := case
            when cardinality(_authorities) > 1 then 'several'
            when la_code is null then 'unknown'
        end;
    end if;
end;
$$;

COMMENT ON FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) IS 'The education authority that answers for a postcode, or the reason why none can be told: malformed, unknown, several or ended.';

REVOKE ALL ON FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) TO pgkb_app;
GRANT ALL ON FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.find_postcode(postcode text, OUT la_code text, OUT problem text) TO pgkb_admin;

CREATE FUNCTION place.find_school(urn text, OUT school_urn text, OUT la_code text, OUT problem text) RETURNS record
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
#variable_conflict use_column
declare
    _urn text := btrim(find_school.urn);
    _open text[];
begin
    if coalesce(_urn, '') = '' then
        return;
    elsif _urn !~ '^[0-9]{6}$' then
        problem := 'malformed';
        return;
    elsif not exists (select from place.school as s where s.urn = _urn) then
        problem := 'unknown';
        return;
    end if;
    with recursive reached_school as (
        select s.urn, s.status from place.school as s where s.urn = _urn
        union
        select n.urn, n.status
        from reached_school as r
        inner join place.school_successor as l on r.urn = l.urn
        inner join place.school as n on l.successor_urn = n.urn
        -- an open school is the end, whoever is to follow it
        where r.status = 'closed'
    )

    select array_agg(r.urn) into _open from reached_school as r where r.status = 'open';
    if _open is null or cardinality(_open) > 1 then
        problem := 'closed';
        return;
    end if;
    school_urn := _open[1];
    select a.la_code into la_code
    from place.school as s
    cross join lateral place.find_authority(s.la_code, s.postcode) as a
    where s.urn = _open[1];
    if la_code is null then
        school_urn := null;
        problem := 'split';
    end if;
end;
$_$;

COMMENT ON FUNCTION place.find_school(urn text, OUT school_urn text, OUT la_code text, OUT problem text) IS 'A school as it is today: itself, or the one open school that followed a closed one; or the reason why it cannot be used: malformed, unknown, closed or split.';

REVOKE ALL ON FUNCTION place.find_school(urn text, OUT school_urn text, OUT la_code text, OUT problem text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.find_school(urn text, OUT school_urn text, OUT la_code text, OUT problem text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.find_school(urn text, OUT school_urn text, OUT la_code text, OUT problem text) TO pgkb_admin;

CREATE FUNCTION place.fold_postcode(postcode text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _typed text;
    _joined text;
    _outward text;
    _inward text;
begin
    -- no postcode is this long, and nobody should wait for a pasted page to be looked at
    if length(fold_postcode.postcode) > 100 then
        return null;
    end if;
    -- compatibility forms first: a no-break space is a space, wide letters are letters
    _typed := upper(btrim(regexp_replace(
        regexp_replace(
            normalize(fold_postcode.postcode, nfkc),
            E'[.\u00ad\u2010-\u2015\u200b-\u200f\u2060\ufeff-]', '', 'g'
        ),
        '\s+', ' ', 'g'
    )));
    _joined := replace(_typed, ' ', '');
    if _typed ~ '^[A-Z0-9]{2,4} [0-9O]$' then
        _outward := left(_joined, -1);
        _inward := right(_joined, 1);
    elsif length(_joined) between 5 and 7 then
        _outward := left(_joined, -3);
        _inward := right(_joined, 3);
    else
        _outward := _joined;
        _inward := '';
    end if;
    _inward := regexp_replace(_inward, '^O', '0');
    -- an area starts with a letter; no district starts with a nought and goes on; a third letter
    -- is no area's; no district ends in O
    _outward := regexp_replace(_outward, '^0', 'O');
    _outward := regexp_replace(_outward, '^([A-Z])0([0-9])', '\1O\2');
    _outward := regexp_replace(_outward, '^([A-Z]{2})O', '\10');
    _outward := regexp_replace(_outward, '([0-9])O$', '\10');
    if _outward !~ '^[A-Z]{1,2}([0-9]|[1-9][A-Z0-9])$' or _inward !~ '^([0-9]([A-Z]{2})?)?$' then
        return null;
    end if;
    return btrim(_outward || ' ' || _inward);
end;
$_$;

COMMENT ON FUNCTION place.fold_postcode(postcode text) IS 'One spelling of a postcode (B1 1AA), of a sector (B1 1) or of an outward code (B1); NULL for what can be none of them.';

REVOKE ALL ON FUNCTION place.fold_postcode(postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.fold_postcode(postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION place.fold_postcode(postcode text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.fold_postcode(postcode text) TO pgkb_admin;

CREATE FUNCTION place.load_authorities(rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _bad text;
    _successor text;
begin
    select r.value ->> 'gss' into _bad
    from jsonb_array_elements(load_authorities.rows) as r (value)
    where
        coalesce(r.value ->> 'gss', '') !~ '^[A-Z][0-9]{8}$'
        or coalesce(r.value ->> 'name', '') !~ '\S'
        or coalesce(r.value ->> 'status', 'live') not in ('live', 'ended')
        or coalesce(r.value ->> 'dfe_code', '000') !~ '^[0-9]{3}$'
    limit 1;
    if found then
        raise exception 'authority row "%" is not usable', left(coalesce(_bad, 'without code'), 40)
            using errcode = 'PL004',
                  hint = 'Each row needs gss (E08000025), name, dfe_code (330) and status live or ended.';
    end if;
    select r.value ->> 'gss' into _bad
    from jsonb_array_elements(load_authorities.rows) as r (value)
    group by r.value ->> 'gss'
    having count(*) > 1
    limit 1;
    if found then
        raise exception 'authority "%" is listed twice', _bad
            using errcode = 'PL004', hint = 'Keep one row for each code.';
    end if;
    insert into place.authority as a
        (gss, dfe_code, name, kind, region, status, start_date, end_date, website)
    select
        r.gss, r.dfe_code, r.name, coalesce(r.kind, ''), coalesce(r.region, ''),
        coalesce(r.status, 'live'), r.start_date, r.end_date, r.website
    from jsonb_to_recordset(load_authorities.rows) as r (
        gss text, dfe_code text, name text, kind text, region text, status text,
        start_date date, end_date date, website text
    )
    on conflict (gss) do update set
        dfe_code = excluded.dfe_code, name = excluded.name, kind = excluded.kind,
        region = excluded.region, status = excluded.status, start_date = excluded.start_date,
        end_date = excluded.end_date, website = excluded.website;
    delete from place.authority_successor as s
    using jsonb_array_elements(load_authorities.rows) as r (value)
    where s.gss = r.value ->> 'gss';
    for _bad, _successor in
        select distinct r.value ->> 'gss', s.successor
        from jsonb_array_elements(load_authorities.rows) as r (value)
        cross join lateral jsonb_array_elements_text(
            case when jsonb_typeof(r.value -> 'successors') = 'array'
                then r.value -> 'successors' else '[]' end
        ) as s (successor)
    loop
        if _successor is null or _successor = _bad
            or not exists (select from place.authority as a where a.gss = _successor)
        then
            raise exception 'authority "%" cannot be followed by "%"',
                _bad, left(_successor, 40)
                using errcode = 'PL004',
                      hint = 'A successor is another authority, with a row of its own.';
        end if;
        insert into place.authority_successor (gss, successor_gss) values (_bad, _successor);
    end loop;
    -- following the successors must come to an end
    with recursive onward as (
        select s.gss, s.successor_gss as reached from place.authority_successor as s
        union
        select o.gss, s.successor_gss
        from onward as o
        inner join place.authority_successor as s on o.reached = s.gss
    )

    select o.gss into _bad from onward as o where o.reached = o.gss order by o.gss limit 1;
    if found then
        raise exception 'authority "%" would succeed itself', _bad
            using errcode = 'PL004', hint = 'Take the older code out of the successors.';
    end if;
    return jsonb_array_length(load_authorities.rows);
end;
$_$;

COMMENT ON FUNCTION place.load_authorities(rows jsonb) IS 'Add or correct education authorities and who succeeded whom; returns how many rows were read.';

REVOKE ALL ON FUNCTION place.load_authorities(rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION place.load_authorities(rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.load_authorities(rows jsonb) TO pgkb_admin;

CREATE FUNCTION place.load_districts(rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _bad record;
begin
    select
        r.lad_gss,
        count(*) > 1 as is_twice
    into _bad
    from jsonb_to_recordset(load_districts.rows) as r (lad_gss text, name text, authority_gss text)
    group by r.lad_gss
    having
        count(*) > 1
        or coalesce(r.lad_gss, '') !~ '^[A-Z][0-9]{8}$'
        or coalesce(min(r.name), '') !~ '\S'
        or min(r.authority_gss) is null
    limit 1;
    if found then
        raise exception 'district row "%" %',
            left(coalesce(_bad.lad_gss, 'without code'), 40),
            case when _bad.is_twice then 'is listed twice' else 'is not usable' end
            using errcode = 'PL007',
                  hint = 'Each row needs lad_gss (E07000106), once, name and authority_gss (E10000016).';
    end if;
    insert into place.district (lad_gss, name, authority_gss)
    select r.lad_gss, r.name, place.resolve_authority(r.authority_gss)
    from jsonb_to_recordset(load_districts.rows) as r (lad_gss text, name text, authority_gss text)
    on conflict (lad_gss) do update set
        name = excluded.name, authority_gss = excluded.authority_gss;
    return jsonb_array_length(load_districts.rows);
end;
$_$;

COMMENT ON FUNCTION place.load_districts(rows jsonb) IS 'Add or correct districts and the education authority of each; returns how many rows were read.';

REVOKE ALL ON FUNCTION place.load_districts(rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION place.load_districts(rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.load_districts(rows jsonb) TO pgkb_admin;

CREATE FUNCTION place.load_schools(rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _report place.load_report;
begin
    perform place.resolve_authority(r.value ->> 'la_code', r.value ->> 'postcode')
    from jsonb_array_elements(load_schools.rows) as r (value);
    perform place.open_registers();
    insert into pg_temp.arriving_school (line, urn, name, gss, phase, postcode, website, status)
    select
        row_number() over (), r.urn, r.name, r.la_code, r.phase, r.postcode, r.website,
        coalesce(r.status, 'open')
    from jsonb_to_recordset(load_schools.rows) as r (
        urn text, name text, la_code text, phase text, postcode text, website text, status text
    );
    _report := place.merge_schools();
    if _report.refused > 0 then
        raise exception 'school row % cannot be used: %',
            _report.problems -> 0 ->> 'line', _report.problems -> 0 ->> 'reason'
            using errcode = 'PL006',
                  hint = 'Each school has a URN of six digits, once, a name and an authority.';
    end if;
    return jsonb_array_length(load_schools.rows);
end;
$$;

COMMENT ON FUNCTION place.load_schools(rows jsonb) IS 'Add or correct the schools of a pack, all or none; returns how many rows were read.';

REVOKE ALL ON FUNCTION place.load_schools(rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION place.load_schools(rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.load_schools(rows jsonb) TO pgkb_admin;

CREATE FUNCTION place.merge_postcodes(shrink boolean DEFAULT false) RETURNS place.load_report
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET work_mem TO '128MB'
    AS $_$
declare
    _known bigint;
    _added bigint;
    _changed bigint;
    _closed bigint;
    _removed bigint;
    _report place.load_report;
begin
    lock table place.postcode_sector in share row exclusive mode;

    -- as published already: nearly every row
    update pg_temp.arriving_postcode as a
    set postcode = place.fold_postcode(a.postcode)
    where coalesce(a.postcode, '') !~ '^[A-Z]{1,2}([0-9]|[1-9][A-Z0-9]) [0-9][A-Z]{2}$';

    analyze pg_temp.arriving_postcode;

    create temporary table arriving_district on commit drop as
    select
        d.lad_gss,
        upper(btrim(d.lad_gss)) as code,
        case
            when f.la_code is not null and upper(btrim(d.lad_gss)) ~ '^[A-Z][0-9]{8}$' then 'known'
            when d.lad_gss !~ '\S' then 'outside'
            when left(upper(btrim(d.lad_gss)), 1) in (select left(k.gss, 1) from place.authority as k)
                then 'unknown'
            else 'outside'
        end as is_a
    from (select distinct a.lad_gss from pg_temp.arriving_postcode as a) as d
    cross join lateral place.find_authority(d.lad_gss) as f;

    create temporary table refused_postcode on commit drop as
    select
        a.line,
        case
            when coalesce(a.postcode, '') not like '% ___' then 'not a full postcode'
            else format('district "%s" is not known', left(d.code, 20))
        end as reason
    from pg_temp.arriving_postcode as a
    inner join pg_temp.arriving_district as d on a.lad_gss = d.lad_gss
    where
        d.is_a = 'unknown'
        or (d.is_a = 'known' and coalesce(a.postcode, '') not like '% ___');

    insert into pg_temp.refused_postcode (line, reason)
    select a.line, format('this postcode stands on line %s already', f.line)
    from (
        select r.postcode, min(r.line) as line
        from pg_temp.arriving_postcode as r
        where r.postcode like '% ___'
        group by r.postcode
        having count(*) > 1
    ) as f
    inner join pg_temp.arriving_postcode as a on f.postcode = a.postcode and f.line < a.line
    where not exists (select from pg_temp.refused_postcode as r where r.line = a.line);

    create temporary table arriving_sector on commit drop as
    select
        left(a.postcode, -2) as sector,
        d.code as lad_gss,
        coalesce(
            array_agg(right(a.postcode, 2) order by right(a.postcode, 2))
            filter (where not a.ended),
            '{}'
        ) as units,
        coalesce(
            array_agg(right(a.postcode, 2) order by right(a.postcode, 2))
            filter (where a.ended),
            '{}'
        ) as ended_units
    from pg_temp.arriving_postcode as a
    inner join pg_temp.arriving_district as d on a.lad_gss = d.lad_gss and d.is_a = 'known'
    where not exists (select from pg_temp.refused_postcode as r where r.line = a.line)
    group by 1, 2;

    create temporary table touched_sector on commit drop as
    with differing_row as (
        (table pg_temp.arriving_sector except table place.postcode_sector)
        union all
        (table place.postcode_sector except table pg_temp.arriving_sector)
    )

    select distinct d.sector from differing_row as d;

    with packed_row as (
        select true as arrives, a.* from pg_temp.arriving_sector as a
        union all
        select false, s.* from place.postcode_sector as s
    ),

    told_postcode as (
        select p.arrives, p.sector || u.unit as postcode, p.lad_gss, u.ended
        from packed_row as p
        inner join pg_temp.touched_sector as t on p.sector = t.sector
        cross join lateral (
            select in_use.unit, false as ended from unnest(p.units) as in_use (unit)
            union all
            select gone.unit, true from unnest(p.ended_units) as gone (unit)
        ) as u
    )

    select
        count(*) filter (where o.postcode is null),
        count(*) filter (where n.lad_gss <> o.lad_gss or n.ended < o.ended),
        count(*) filter (where n.lad_gss = o.lad_gss and n.ended > o.ended),
        count(*) filter (where n.postcode is null)
    into _added, _changed, _closed, _removed
    from (select * from told_postcode as t where t.arrives) as n
    full join (select * from told_postcode as t where not t.arrives) as o
        on n.postcode = o.postcode;

    _known := (
        select coalesce(sum(cardinality(s.units) + cardinality(s.ended_units)), 0)
        from place.postcode_sector as s
    );
    if _removed * 2 > _known and not merge_postcodes.shrink then
        raise exception '% of % known postcodes are not in the register', _removed, _known
            using errcode = 'PL008',
                  hint = 'Load the whole register, or say that it shrinks: --shrink.';
    end if;

    delete from place.postcode_sector as s
    using pg_temp.touched_sector as t
    where
        s.sector = t.sector
        and not exists (
            select
            from pg_temp.arriving_sector as a
            where a.sector = s.sector and a.lad_gss = s.lad_gss
        );
    insert into place.postcode_sector (sector, lad_gss, units, ended_units)
    select a.sector, a.lad_gss, a.units, a.ended_units
    from pg_temp.arriving_sector as a
    inner join pg_temp.touched_sector as t on a.sector = t.sector
    order by a.sector, a.lad_gss
    on conflict (sector, lad_gss) do update set
        units = excluded.units, ended_units = excluded.ended_units;

    select
        _added,
        _changed,
        _known - _changed - _closed - _removed,
        _closed,
        _removed,
        (
            select count(*)
            from pg_temp.arriving_postcode as a
            inner join pg_temp.arriving_district as d on a.lad_gss = d.lad_gss
            where d.is_a = 'outside'
        ),
        (select count(*) from pg_temp.refused_postcode),
        (
            select coalesce(
                jsonb_agg(jsonb_build_object('line', p.line, 'reason', p.reason) order by p.line),
                '[]'
            )
            from (
                select r.line, r.reason from pg_temp.refused_postcode as r order by r.line limit 1000
            ) as p
        )
    into _report;
    drop table pg_temp.arriving_district, pg_temp.refused_postcode, pg_temp.arriving_sector,
        pg_temp.touched_sector;
    return _report;
end;
$_$;

COMMENT ON FUNCTION place.merge_postcodes(shrink boolean) IS 'Make the arrived postcodes the ones that are known: readers see the old set until the commit, then the new one; only sectors that differ are written.';

REVOKE ALL ON FUNCTION place.merge_postcodes(shrink boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION place.merge_postcodes(shrink boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.merge_postcodes(shrink boolean) TO pgkb_admin;

CREATE FUNCTION place.merge_school_links() RETURNS place.load_report
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _report place.load_report;
begin
    with told_link as (
        select
            a.line,
            a.link_type ~* '^\s*(successor|predecessor)' as succeeds,
            -- a predecessor is the same link, seen from the other end
            btrim(case when a.link_type ~* '^\s*p' then a.link_urn else a.urn end) as urn,
            btrim(case when a.link_type ~* '^\s*p' then a.urn else a.link_urn end) as successor_urn
        from pg_temp.arriving_school_link as a
    ),

    judged_link as (
        select
            t.*,
            case
                when not t.succeeds then null
                when t.urn = t.successor_urn then 'a school cannot succeed itself'
                when s.urn is null
                    then format('school "%s" is not known', left(coalesce(t.urn, ''), 20))
                when n.urn is null
                    then format('school "%s" is not known', left(coalesce(t.successor_urn, ''), 20))
            end as reason
        from told_link as t
        left join place.school as s on t.urn = s.urn
        left join place.school as n on t.successor_urn = n.urn
    ),

    good_link as (
        select distinct j.urn, j.successor_urn
        from judged_link as j
        where j.succeeds and j.reason is null
    ),

    new_link as (
        insert into place.school_successor (urn, successor_urn)
        select g.urn, g.successor_urn
        from good_link as g
        order by g.urn, g.successor_urn
        on conflict do nothing
        returning urn
    )

    select
        (select count(*) from new_link),
        0,
        (select count(*) from good_link) - (select count(*) from new_link),
        0,
        0,
        count(*) filter (where j.succeeds is distinct from true),
        count(j.reason),
        (
            select coalesce(
                jsonb_agg(jsonb_build_object('line', p.line, 'reason', p.reason) order by p.line),
                '[]'
            )
            from (
                select r.line, r.reason
                from judged_link as r
                where r.reason is not null
                order by r.line
                limit 1000
            ) as p
        )
    into _report
    from judged_link as j;
    return _report;
end;
$$;

COMMENT ON FUNCTION place.merge_school_links() IS 'Bring the arrived links between schools into place.school_successor; links that say nothing of a succession are outside.';

REVOKE ALL ON FUNCTION place.merge_school_links() FROM PUBLIC;
GRANT ALL ON FUNCTION place.merge_school_links() TO pgkb_ingest;
GRANT ALL ON FUNCTION place.merge_school_links() TO pgkb_admin;

CREATE FUNCTION place.merge_schools() RETURNS place.load_report
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _report place.load_report;
begin
    lock table place.school in share row exclusive mode;

    -- one spelling of everything
    update pg_temp.arriving_school as a
    set
        urn = btrim(a.urn),
        name = btrim(regexp_replace(a.name, '\s+', ' ', 'g')),
        dfe_code = nullif(btrim(a.dfe_code), ''),
        gss = nullif(btrim(a.gss), ''),
        phase = nullif(nullif(btrim(a.phase), ''), 'Not applicable'),
        postcode = case
            when place.fold_postcode(a.postcode) like '% ___' then place.fold_postcode(a.postcode)
        end,
        -- the register names many a page without http://; what is no address at all is left out
        website = case
            when a.website ~* '^\s*https?://[^\s/]+\.\S+\s*$' then btrim(a.website)
            when a.website ~ '^\s*[[:alnum:]][[:alnum:]-]*(\.[[:alnum:]-]+)+(/\S*)?\s*$'
                then 'http://' || btrim(a.website)
        end,
        -- 1 open, 2 closed, 3 open but to close, 4 to open; without a status the day tells
        status = case
            when a.status ~* '^\s*(2|closed)\s*$' then 'closed'
            when a.status ~ '\S' then 'open'
            when a.closed <= current_date then 'closed'
        end;

    with listed_code as (
        select distinct c.code
        from pg_temp.arriving_school as a
        cross join lateral (values (a.dfe_code), (a.gss)) as c (code)
        where c.code is not null
    ),

    known_code as (
        select l.code, f.la_code
        from listed_code as l
        cross join lateral place.find_authority(l.code) as f
        where f.la_code is not null
    )

    update pg_temp.arriving_school as a
    set la_code = coalesce(
        (select k.la_code from known_code as k where k.code = a.dfe_code),
        (select k.la_code from known_code as k where k.code = a.gss),
        (
            select f.la_code
            from place.school as s
            cross join lateral place.find_authority(s.la_code, s.postcode) as f
            where s.urn = a.urn
        ),
        (select f.la_code from place.find_postcode(a.postcode) as f)
    );

    update pg_temp.arriving_school as a
    set
        outcome = case
            when r.reason is null then 'unchanged'
            when r.is_abroad then 'outside'
            else 'refused'
        end,
        reason = r.reason
    from (
        select
            b.line,
            b.la_code is null
            and b.gss ~ '^[A-Z][0-9]{8}$'
            and left(b.gss, 1) not in (select left(k.gss, 1) from place.authority as k) as is_abroad,
            case
                when coalesce(b.urn, '') !~ '^[0-9]{6}$'
                    then format('URN "%s" is not six digits', left(coalesce(b.urn, ''), 20))
                when coalesce(b.name, '') = '' then 'the school has no name'
                when first_value(b.line) over same_urn <> b.line
                    then format(
                        'URN %s stands on line %s already', b.urn, first_value(b.line) over same_urn
                    )
                when b.la_code is null and coalesce(b.dfe_code, b.gss) is not null
                    then format(
                        'authority "%s" is not known or was split, and the postcode does not tell',
                        left(coalesce(b.dfe_code, b.gss), 20)
                    )
                when b.la_code is null
                    then 'no authority is given, and the postcode does not tell'
            end as reason
        from pg_temp.arriving_school as b
        window same_urn as (partition by b.urn order by b.line)
    ) as r
    where a.line = r.line;

    update pg_temp.arriving_school as a
    set
        phase = coalesce(a.phase, s.phase),
        postcode = coalesce(a.postcode, s.postcode),
        website = coalesce(a.website, s.website),
        status = coalesce(a.status, s.status),
        opened = coalesce(a.opened, s.opened),
        closed = case
            when coalesce(a.status, s.status) = 'closed' then coalesce(a.closed, s.closed)
            else a.closed
        end
    from place.school as s
    where a.urn = s.urn;

    update pg_temp.arriving_school as a
    set outcome = case
        when s.urn is null then 'added'
        when s.status = 'open' and a.status = 'closed' then 'closed'
        else 'changed'
    end
    from pg_temp.arriving_school as b
    left join place.school as s on b.urn = s.urn
    where
        a.line = b.line
        and a.outcome = 'unchanged'
        and (b.name, b.la_code, b.phase, b.postcode, b.website, b.status, b.opened, b.closed)
        is distinct from
        (s.name, s.la_code, s.phase, s.postcode, s.website, s.status, s.opened, s.closed);

    insert into place.school
        (urn, name, la_code, phase, postcode, website, status, opened, closed)
    select
        a.urn, a.name, a.la_code, a.phase, a.postcode, a.website, coalesce(a.status, 'open'),
        a.opened, a.closed
    from pg_temp.arriving_school as a
    where a.outcome in ('added', 'changed', 'closed')
    on conflict (urn) do update set
        name = excluded.name, la_code = excluded.la_code, phase = excluded.phase,
        postcode = excluded.postcode, website = excluded.website, status = excluded.status,
        opened = excluded.opened, closed = excluded.closed;

    select
        count(*) filter (where a.outcome = 'added'),
        count(*) filter (where a.outcome = 'changed'),
        count(*) filter (where a.outcome = 'unchanged'),
        count(*) filter (where a.outcome = 'closed'),
        0,
        count(*) filter (where a.outcome = 'outside'),
        count(*) filter (where a.outcome = 'refused'),
        (
            select coalesce(
                jsonb_agg(jsonb_build_object('line', p.line, 'reason', p.reason) order by p.line),
                '[]'
            )
            from (
                select r.line, r.reason
                from pg_temp.arriving_school as r
                where r.outcome = 'refused'
                order by r.line
                limit 1000
            ) as p
        )
    into _report
    from pg_temp.arriving_school as a;
    return _report;
end;
$_$;

COMMENT ON FUNCTION place.merge_schools() IS 'Bring the arrived schools into place.school: add, correct, close, never delete; a row that cannot be a school is refused and told.';

REVOKE ALL ON FUNCTION place.merge_schools() FROM PUBLIC;
GRANT ALL ON FUNCTION place.merge_schools() TO pgkb_ingest;
GRANT ALL ON FUNCTION place.merge_schools() TO pgkb_admin;

CREATE FUNCTION place.open_registers() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if to_regclass('pg_temp.arriving_school') is not null then
        drop table pg_temp.arriving_school, pg_temp.arriving_school_link, pg_temp.arriving_postcode;
    end if;
    create temporary table arriving_school (
        line bigint,
        urn text,
        name text,
        dfe_code text,
        gss text,
        phase text,
        postcode text,
        website text,
        status text,
        opened date,
        closed date,
        la_code text,
        outcome text,
        reason text
    ) on commit drop;
    create temporary table arriving_school_link (
        line bigint,
        urn text,
        link_urn text,
        link_type text
    ) on commit drop;
    create temporary table arriving_postcode (
        line bigint not null,
        -- millions of rows: sorted by bytes
        postcode text collate "C",
        lad_gss text collate "C" not null,
        ended boolean not null
    ) on commit drop;
end;
$$;

COMMENT ON FUNCTION place.open_registers() IS 'Empty tables of this session for the rows of a register: pg_temp.arriving_school, arriving_school_link and arriving_postcode; they go with the transaction.';

REVOKE ALL ON FUNCTION place.open_registers() FROM PUBLIC;
GRANT ALL ON FUNCTION place.open_registers() TO pgkb_ingest;
GRANT ALL ON FUNCTION place.open_registers() TO pgkb_admin;

CREATE FUNCTION place.resolve_authority(code text, postcode text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _found record;
begin
    if resolve_authority.code is null then
        return null;
    end if;
    select f.la_code, f.named, f.successors into _found
    from place.find_authority(resolve_authority.code, resolve_authority.postcode) as f;
    if _found.named is null then
        raise exception 'authority "%" is not known', left(resolve_authority.code, 40)
            using errcode = 'PL001',
                  detail = 'An authority is named by its nine-character GSS code, e.g. E08000025.',
                  hint = 'Look it up: select gss, name from place.authority order by name;';
    elsif _found.la_code is null then
        raise exception 'authority % was split', _found.named
            using errcode = 'PL003',
                  detail = format('It became %s.', array_to_string(_found.successors, ' and ')),
                  hint = 'Name the one that answers for the place today.';
    end if;
    return _found.la_code;
end;
$$;

COMMENT ON FUNCTION place.resolve_authority(code text, postcode text) IS 'The live education authority of a GSS code (old or new), a district code or a three-digit DfE code; refuse a code that has none.';

REVOKE ALL ON FUNCTION place.resolve_authority(code text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION place.resolve_authority(code text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION place.resolve_authority(code text, postcode text) TO pgkb_ingest;
GRANT ALL ON FUNCTION place.resolve_authority(code text, postcode text) TO pgkb_admin;

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
	school_boosted boolean
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

COMMENT ON COLUMN public.search_result.la_code IS 'Authority of the document; NULL is national.';

COMMENT ON COLUMN public.search_result.matched_by IS 'vector, keyword or hybrid.';

COMMENT ON COLUMN public.search_result.no_la_broad_fallback_used IS 'No authority was known and national text had nothing, so all areas were searched.';

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
    r.published_at AS created_at
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
    AS $$
declare
    _found search.retrieval := search.retrieve(search.resolve_request(
        explain_search.query_vec, explain_search.tsquery, explain_search.la,
        explain_search.home_la, explain_search.urn, explain_search.tags, explain_search.top_k,
        explain_search.principals, explain_search.as_of, explain_search.statuses,
        explain_search.topics, explain_search.candidates, explain_search.rrf_k,
        explain_search.vector_weight, explain_search.keyword_weight, explain_search.embedding_set
    ));
begin
    return query select e.* from search.explain_retrieval(_found) as e;
end;
$$;

COMMENT ON FUNCTION public.explain_search(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) IS 'Explain a search: the rows of search_kb''s every step, in order, each with the reason a chunk won or lost in words and numbers.';

REVOKE ALL ON FUNCTION public.explain_search(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.explain_search(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.explain_search(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_app;
GRANT ALL ON FUNCTION public.explain_search(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_admin;

CREATE FUNCTION public.explain_text(question text, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, viewer text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS TABLE(stage_no integer, stage text, chunk_id bigint, title text, scope text, rank integer, value double precision, kept boolean, reason text, detail jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _worded record;
    _scope record;
begin
    select w.* into _worded
    from search.word_question(explain_text.question, explain_text.viewer) as w;
    select s.* into _scope
    from search.scope_of(
        explain_text.la, explain_text.home_la, explain_text.urn, explain_text.postcode
    ) as s;
    return query
    select r.*
    from public.explain_search(
        query_vec => _worded.query_vec,
        tsquery => _worded.tsquery,
        la => _scope.la_code,
        home_la => _scope.home_la_code,
        urn => _scope.school_urn,
        tags => explain_text.tags,
        top_k => explain_text.top_k,
        principals => explain_text.principals,
        as_of => explain_text.as_of,
        topics => _worded.topics,
        embedding_set => _worded.embedding_set
    ) as r;
end;
$$;

COMMENT ON FUNCTION public.explain_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) IS 'Explain a search from the words of a question: explain_search for search_text.';

REVOKE ALL ON FUNCTION public.explain_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.explain_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.explain_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION public.explain_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_admin;

CREATE FUNCTION public.resolve_la(la text DEFAULT NULL::text, child_urn text DEFAULT NULL::text, child_postcode text DEFAULT NULL::text, user_urn text DEFAULT NULL::text, first_child_urn text DEFAULT NULL::text, first_child_postcode text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS TABLE(la_code text, local_authority text, school_urn text, home_la_code text, home_la_name text, source text, notes text[])
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _step record;
    _school record;
    _place record;
    _chosen text;
    -- the child asked about: of the conversation, else the first
    _home text := nullif(btrim(resolve_la.child_postcode), '');
    _home_of text := 'child_postcode';
begin
    source := 'none';
    notes := '{}';

    for _step in
        select s.source, s.argument, s.urn
        from (values
            (1, 'child_school', 'child_urn', resolve_la.child_urn),
            (2, 'user_school', 'user_urn', resolve_la.user_urn),
            (3, 'first_child_school', 'first_child_urn', resolve_la.first_child_urn)
        ) as s (place, source, argument, urn)
        order by s.place
    loop
        select f.* into _school from place.find_school(_step.urn) as f;
        if _school.problem is not null then
            notes := notes || (_step.argument || ': ' || _school.problem);
        elsif _school.school_urn is not null then
            if _school.school_urn <> btrim(_step.urn) then
                notes := notes
                    || (_step.argument || ': closed, followed by ' || _school.school_urn);
            end if;
            source := _step.source;
            school_urn := _school.school_urn;
            la_code := _school.la_code;
            exit;
        end if;
    end loop;

    if source = 'none' then
        for _step in
            select s.argument, s.postcode
            from (values
                (1, 'child_postcode', resolve_la.child_postcode),
                (2, 'first_child_postcode', resolve_la.first_child_postcode),
                (3, 'postcode', resolve_la.postcode)
            ) as s (place, argument, postcode)
            order by s.place
        loop
            select f.* into _place from place.find_postcode(_step.postcode) as f;
            if _place.problem is not null then
                notes := notes || (_step.argument || ': ' || _place.problem);
            elsif _place.la_code is not null then
                source := 'postcode';
                la_code := _place.la_code;
                exit;
            end if;
        end loop;
    else
        if _home is null and source = 'first_child_school' then
            _home := nullif(btrim(resolve_la.first_child_postcode), '');
            _home_of := 'first_child_postcode';
        end if;
        select f.* into _place from place.find_postcode(_home) as f;
        if _place.problem is not null then
            notes := notes || (_home_of || ': ' || _place.problem);
        else
            home_la_code := nullif(_place.la_code, la_code);
        end if;
    end if;

    if resolve_la.la ~ '\S' then
        _chosen := place.resolve_authority(
            resolve_la.la,
            coalesce(_home, nullif(btrim(resolve_la.first_child_postcode), ''), resolve_la.postcode)
        );
        if _chosen is distinct from la_code then
            if source <> 'none' then
                notes := notes || ('la: chosen, not that of ' || source);
            end if;
            la_code := _chosen;
            school_urn := null;
            home_la_code := null;
        end if;
        source := 'chosen';
    end if;

    local_authority := (select a.name from place.authority as a where a.gss = la_code);
    home_la_name := (select a.name from place.authority as a where a.gss = home_la_code);
    return next;
end;
$$;

COMMENT ON FUNCTION public.resolve_la(la text, child_urn text, child_postcode text, user_urn text, first_child_urn text, first_child_postcode text, postcode text) IS 'Whose rules hold for somebody: the school of the conversation''s child, the user''s own school, the first child''s, a postcode, in this order; or a chosen authority.';

REVOKE ALL ON FUNCTION public.resolve_la(la text, child_urn text, child_postcode text, user_urn text, first_child_urn text, first_child_postcode text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.resolve_la(la text, child_urn text, child_postcode text, user_urn text, first_child_urn text, first_child_postcode text, postcode text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.resolve_la(la text, child_urn text, child_postcode text, user_urn text, first_child_urn text, first_child_postcode text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION public.resolve_la(la text, child_urn text, child_postcode text, user_urn text, first_child_urn text, first_child_postcode text, postcode text) TO pgkb_admin;

CREATE FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, statuses text[] DEFAULT NULL::text[], topics text[] DEFAULT NULL::text[], candidates integer DEFAULT NULL::integer, rrf_k double precision DEFAULT NULL::double precision, vector_weight double precision DEFAULT NULL::double precision, keyword_weight double precision DEFAULT NULL::double precision, embedding_set text DEFAULT NULL::text) RETURNS SETOF public.search_result
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _found search.retrieval := search.retrieve(search.resolve_request(
        search_kb.query_vec, search_kb.tsquery, search_kb.la, search_kb.home_la, search_kb.urn,
        search_kb.tags, search_kb.top_k, search_kb.principals, search_kb.as_of,
        search_kb.statuses, search_kb.topics, search_kb.candidates, search_kb.rrf_k,
        search_kb.vector_weight, search_kb.keyword_weight, search_kb.embedding_set
    ));
begin
    return query select r.* from search.assemble(_found) as r;
end;
$$;

COMMENT ON FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) IS 'Retrieve: vector leg and BM25 leg within what the caller may see, fused, weighed, cut at the floor, assembled; best first, no row when nothing is relevant.';

REVOKE ALL ON FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_app;
GRANT ALL ON FUNCTION public.search_kb(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_admin;

CREATE FUNCTION public.search_text(question text, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, viewer text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS SETOF public.search_result
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _worded record;
    _scope record;
begin
    select w.* into _worded
    from search.word_question(search_text.question, search_text.viewer) as w;
    select s.* into _scope
    from search.scope_of(
        search_text.la, search_text.home_la, search_text.urn, search_text.postcode
    ) as s;
    return query
    select r.*
    from public.search_kb(
        query_vec => _worded.query_vec,
        tsquery => _worded.tsquery,
        la => _scope.la_code,
        home_la => _scope.home_la_code,
        urn => _scope.school_urn,
        tags => search_text.tags,
        top_k => search_text.top_k,
        principals => search_text.principals,
        as_of => search_text.as_of,
        topics => _worded.topics,
        embedding_set => _worded.embedding_set
    ) as r;
end;
$$;

COMMENT ON FUNCTION public.search_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) IS 'Search from the words of a question: topics, synonyms, query vector from the cache or the endpoint, then search_kb.';

REVOKE ALL ON FUNCTION public.search_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.search_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION public.search_text(question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_admin;

CREATE FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, statuses text[] DEFAULT NULL::text[], topics text[] DEFAULT NULL::text[], candidates integer DEFAULT NULL::integer, rrf_k double precision DEFAULT NULL::double precision, vector_weight double precision DEFAULT NULL::double precision, keyword_weight double precision DEFAULT NULL::double precision, embedding_set text DEFAULT NULL::text) RETURNS TABLE(verdict text, reason text, place integer, facts jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _found search.retrieval := search.retrieve(search.resolve_request(
        why_not.query_vec, why_not.tsquery, why_not.la, why_not.home_la, why_not.urn,
        why_not.tags, why_not.top_k, why_not.principals, why_not.as_of, why_not.statuses,
        why_not.topics, why_not.candidates, why_not.rrf_k, why_not.vector_weight,
        why_not.keyword_weight, why_not.embedding_set
    ));
begin
    return query select e.* from search.explain_absence(_found, why_not.chunk_id) as e;
end;
$$;

COMMENT ON FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) IS 'Why a chunk is not in the answer of a search, or at which place it is: exactly one row with one verdict, the reason in words, and the facts.';

REVOKE ALL ON FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_app;
GRANT ALL ON FUNCTION public.why_not(chunk_id bigint, query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_admin;

CREATE FUNCTION public.why_not_text(chunk_id bigint, question text, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, viewer text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS TABLE(verdict text, reason text, place integer, facts jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _worded record;
    _scope record;
begin
    select w.* into _worded
    from search.word_question(why_not_text.question, why_not_text.viewer) as w;
    select s.* into _scope
    from search.scope_of(
        why_not_text.la, why_not_text.home_la, why_not_text.urn, why_not_text.postcode
    ) as s;
    return query
    select r.*
    from public.why_not(
        chunk_id => why_not_text.chunk_id,
        query_vec => _worded.query_vec,
        tsquery => _worded.tsquery,
        la => _scope.la_code,
        home_la => _scope.home_la_code,
        urn => _scope.school_urn,
        tags => why_not_text.tags,
        top_k => why_not_text.top_k,
        principals => why_not_text.principals,
        as_of => why_not_text.as_of,
        topics => _worded.topics,
        embedding_set => _worded.embedding_set
    ) as r;
end;
$$;

COMMENT ON FUNCTION public.why_not_text(chunk_id bigint, question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) IS 'Why a chunk is not in the answer to a question in words: one row, as why_not gives it.';

REVOKE ALL ON FUNCTION public.why_not_text(chunk_id bigint, question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.why_not_text(chunk_id bigint, question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_reader;
GRANT ALL ON FUNCTION public.why_not_text(chunk_id bigint, question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION public.why_not_text(chunk_id bigint, question text, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, viewer text, postcode text) TO pgkb_admin;

CREATE SCHEMA queue;

COMMENT ON SCHEMA queue IS 'Work that must survive the death of whoever does it.';

GRANT USAGE ON SCHEMA queue TO pgkb_ingest;
GRANT USAGE ON SCHEMA queue TO pgkb_admin;

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
    CONSTRAINT task_attempts_not_negative CHECK ((attempts >= 0))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02');

COMMENT ON COLUMN queue.task.attempts IS 'How often it was claimed.';

COMMENT ON COLUMN queue.task.claimed_by IS 'Who works on it.';

COMMENT ON COLUMN queue.task.created_at IS 'When it was enqueued.';

COMMENT ON COLUMN queue.task.dead IS 'Given up after too many attempts; a person decides.';

COMMENT ON COLUMN queue.task.kind IS 'What to do, e.g. publish_version.';

COMMENT ON COLUMN queue.task.last_error IS 'Why the last attempt failed.';

COMMENT ON COLUMN queue.task.lease_token IS 'Proof of the current claim: whoever holds an older one can no longer finish, renew or fail the task.';

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

ALTER TABLE ONLY queue.task
    ADD CONSTRAINT task_one_per_subject UNIQUE (kind, subject_id);

ALTER TABLE ONLY queue.task
    ADD CONSTRAINT task_pk PRIMARY KEY (task_id);

CREATE INDEX task_ready_idx ON queue.task USING btree (ready_at, task_id) WHERE (NOT dead);

CREATE FUNCTION queue.claim_tasks(worker text, batch_size integer DEFAULT 1, lease interval DEFAULT '00:05:00'::interval) RETURNS SETOF queue.task
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if (
        claim_tasks.batch_size between 1 and 100
        and claim_tasks.lease between interval '1 second' and interval '1 day'
    ) is not true then
        raise exception 'batch size % with lease % is out of range',
            claim_tasks.batch_size, claim_tasks.lease
            using errcode = 'QU001',
                  hint = 'A batch holds 1 to 100 tasks, a lease lasts one second to one day.';
    end if;
    -- work that kills its worker is never failed by it: the claim counts, and gives up
    update queue.task as t
    set
        dead = true,
        claimed_by = null,
        lease_token = null,
        last_error = 'given up: its lease ran out at the last attempt'
    from (
        select k.task_id
        from queue.task as k
        where k.ready_at <= clock_timestamp() and not k.dead and k.attempts >= 8
            and k.lease_token is not null
        for update skip locked
    ) as l
    where t.task_id = l.task_id;
    return query
    with ready_task as (
        select t.task_id
        from queue.task as t
        where t.ready_at <= clock_timestamp() and not t.dead
        order by t.ready_at, t.task_id
        limit claim_tasks.batch_size
        for update skip locked
    )

    update queue.task as t
    set
        claimed_by = claim_tasks.worker,
        lease_token = gen_random_uuid(),
        ready_at = clock_timestamp() + claim_tasks.lease,
        attempts = t.attempts + 1
    from ready_task as r
    where t.task_id = r.task_id
    returning t.*;
end;
$$;

COMMENT ON FUNCTION queue.claim_tasks(worker text, batch_size integer, lease interval) IS 'Hand a worker the oldest ready tasks and hide them from others for one lease.';

REVOKE ALL ON FUNCTION queue.claim_tasks(worker text, batch_size integer, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.claim_tasks(worker text, batch_size integer, lease interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.claim_tasks(worker text, batch_size integer, lease interval) TO pgkb_admin;

CREATE FUNCTION queue.enqueue(kind text, subject_id bigint, holder text DEFAULT NULL::text, lease interval DEFAULT '00:05:00'::interval) RETURNS queue.task
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    insert into queue.task as t (kind, subject_id, ready_at, claimed_by, lease_token, attempts)
    values (
        enqueue.kind,
        enqueue.subject_id,
        clock_timestamp()
        + case when enqueue.holder is null then interval '0' else enqueue.lease end,
        enqueue.holder,
        case when enqueue.holder is not null then gen_random_uuid() end,
        case when enqueue.holder is null then 0 else 1 end
    )
    on conflict on constraint task_one_per_subject do update set
        ready_at = excluded.ready_at,
        claimed_by = excluded.claimed_by,
        lease_token = excluded.lease_token,
        attempts = excluded.attempts,
        dead = false,
        last_error = null
    returning t.*;
$$;

COMMENT ON FUNCTION queue.enqueue(kind text, subject_id bigint, holder text, lease interval) IS 'Put work in the queue, once per subject; with a holder it is already leased to that holder.';

REVOKE ALL ON FUNCTION queue.enqueue(kind text, subject_id bigint, holder text, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.enqueue(kind text, subject_id bigint, holder text, lease interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.enqueue(kind text, subject_id bigint, holder text, lease interval) TO pgkb_admin;

CREATE FUNCTION queue.fail_task(task_id bigint, lease_token uuid, reason text, final boolean DEFAULT false) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with failed_task as (
        update queue.task as t
        set
            claimed_by = null,
            lease_token = null,
            last_error = left(fail_task.reason, 500),
            dead = fail_task.final or t.attempts >= 8,
            -- 10 s, 20 s, 40 s ... one hour, spread by a quarter so that failures do not march in step
            ready_at = clock_timestamp()
                + least(interval '1 hour', interval '10 seconds' * power(2, t.attempts - 1))
                * (1 + random() / 4)
        where t.task_id = fail_task.task_id and t.lease_token = fail_task.lease_token
        returning 1
    )

    select exists (select from failed_task);
$$;

COMMENT ON FUNCTION queue.fail_task(task_id bigint, lease_token uuid, reason text, final boolean) IS 'Give work back after a failure: again later, each time later, and dead after eight attempts or at once when final.';

REVOKE ALL ON FUNCTION queue.fail_task(task_id bigint, lease_token uuid, reason text, final boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.fail_task(task_id bigint, lease_token uuid, reason text, final boolean) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.fail_task(task_id bigint, lease_token uuid, reason text, final boolean) TO pgkb_admin;

CREATE FUNCTION queue.finish_task(task_id bigint, lease_token uuid) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with finished_task as (
        delete from queue.task as t
        where t.task_id = finish_task.task_id and t.lease_token = finish_task.lease_token
        returning 1
    )

    select exists (select from finished_task);
$$;

COMMENT ON FUNCTION queue.finish_task(task_id bigint, lease_token uuid) IS 'Remove work that is done; false when somebody else holds the task by now.';

REVOKE ALL ON FUNCTION queue.finish_task(task_id bigint, lease_token uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.finish_task(task_id bigint, lease_token uuid) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.finish_task(task_id bigint, lease_token uuid) TO pgkb_admin;

CREATE FUNCTION queue.heartbeat(task_id bigint, lease_token uuid, lease interval DEFAULT '00:05:00'::interval) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with renewed_task as (
        update queue.task as t
        set ready_at = clock_timestamp() + heartbeat.lease
        where t.task_id = heartbeat.task_id and t.lease_token = heartbeat.lease_token
        returning 1
    )

    select exists (select from renewed_task);
$$;

COMMENT ON FUNCTION queue.heartbeat(task_id bigint, lease_token uuid, lease interval) IS 'Renew a lease; false when somebody else holds the task by now.';

REVOKE ALL ON FUNCTION queue.heartbeat(task_id bigint, lease_token uuid, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION queue.heartbeat(task_id bigint, lease_token uuid, lease interval) TO pgkb_ingest;
GRANT ALL ON FUNCTION queue.heartbeat(task_id bigint, lease_token uuid, lease interval) TO pgkb_admin;

CREATE FUNCTION queue.task__wake_workers() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform pg_notify('pgkb_task', new.kind);
    return null;
end;
$$;

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

COMMENT ON COLUMN search.finding.plan IS 'How the vector leg read the scopes: exact, index, index topped up, or several of them.';

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

COMMENT ON COLUMN search.scope_plan.plan IS 'exact, index, index topped up (an exact scan followed), or none.';

COMMENT ON COLUMN search.scope_plan.reason IS 'The numbers that decided.';

COMMENT ON COLUMN search.scope_plan.scope_id IS 'The scope.';

COMMENT ON TYPE search.scope_plan IS 'How the vector leg read a scope, and why so.';

CREATE TYPE search.vector_found AS (
	hits search.vector_hit[],
	plans search.scope_plan[]
);

COMMENT ON COLUMN search.vector_found.hits IS 'Most similar first.';

COMMENT ON COLUMN search.vector_found.plans IS 'One for each visible scope.';

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

ALTER TABLE ONLY search.record
    ADD CONSTRAINT record_pk PRIMARY KEY (record_id);

ALTER TABLE ONLY search.scope_stat
    ADD CONSTRAINT scope_stat_pk PRIMARY KEY (scope_id);

ALTER TABLE ONLY search.text_index
    ADD CONSTRAINT text_index_pk PRIMARY KEY (chunk_id);

ALTER TABLE ONLY search.text_index
    ADD CONSTRAINT text_index_chunk_fk FOREIGN KEY (chunk_id) REFERENCES corpus.chunk(chunk_id) ON DELETE CASCADE;

CREATE INDEX lexeme_delta_lexeme_idx ON search.lexeme_delta USING btree (lexeme);

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

CREATE FUNCTION search.apply_floor(hits search.ranked_hit[], has_vector boolean, relevance_floor double precision, school_floor double precision, school_limit integer, keyword_coverage double precision, school_coverage double precision) RETURNS SETOF search.ranked_hit
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with judged as (
        select
            h as hit,
            case
                when h.floor_exempt then null
                when apply_floor.has_vector and h.similarity >= apply_floor.relevance_floor then null
                when apply_floor.has_vector then format(
                    'similarity %s is under the relevance floor %s',
                    coalesce(round(h.similarity::numeric, 3)::text, 'unknown'),
                    apply_floor.relevance_floor
                )
                when h.coverage >= apply_floor.keyword_coverage then null
                else format(
                    'matches %s of the question''s weight, under %s',
                    round(h.coverage::numeric, 2), apply_floor.keyword_coverage
                )
            end as reason
        from unnest(apply_floor.hits) as h
    ),

    tally as (
        select
            count(*) filter (where j.reason is null) as kept,
            count(*) filter (where j.reason is null and (j.hit).scope = 'school') as kept_of_school
        from judged as j
    ),

    -- the school's own under the floor but over its lower one, each text once
    school_hit as (
        select
            (j.hit).chunk_id,
            row_number() over (
                order by
                    (j.hit).similarity desc nulls last, (j.hit).coverage desc, (j.hit).chunk_id
            ) as place
        from (
            select
                u.*,
                row_number() over (
                    partition by (u.hit).content_hash
                    order by
                        u.reason is null desc, (u.hit).similarity desc nulls last,
                        (u.hit).coverage desc, (u.hit).chunk_id
                ) as copy
            from judged as u
            where
                u.reason is null
                or (
                    (u.hit).scope = 'school'
                    and case
                        when apply_floor.has_vector
                            then (u.hit).similarity >= apply_floor.school_floor
                        else (u.hit).coverage >= apply_floor.school_coverage
                    end
                )
        ) as j
        where j.copy = 1 and j.reason is not null
    ),

    lifted as (
        select
            j.hit,
            j.reason,
            coalesce(
                t.kept > 0 and s.place <= apply_floor.school_limit - t.kept_of_school, false
            ) as boosted
        from judged as j
        cross join tally as t
        left join school_hit as s on (j.hit).chunk_id = s.chunk_id
    )

    select
        (l.hit).chunk_id, (l.hit).document_id, (l.hit).version_id, (l.hit).scope,
        (l.hit).similarity, (l.hit).vector_rank, (l.hit).bm25_score, (l.hit).bm25_rank,
        (l.hit).matched_by, (l.hit).rrf_raw, (l.hit).freshness, (l.hit).authority_weight,
        (l.hit).boost, (l.hit).score, (l.hit).floor_exempt, (l.hit).coverage,
        l.boosted,
        case when not l.boosted then l.reason end,
        (l.hit).content_hash,
        case when l.reason is not null and not l.boosted then 'floor' end,
        (l.hit).place
    from lifted as l;
$$;

COMMENT ON FUNCTION search.apply_floor(hits search.ranked_hit[], has_vector boolean, relevance_floor double precision, school_floor double precision, school_limit integer, keyword_coverage double precision, school_coverage double precision) IS 'Say of each candidate whether it is relevant enough: dropped_because is NULL for the kept ones.';

REVOKE ALL ON FUNCTION search.apply_floor(hits search.ranked_hit[], has_vector boolean, relevance_floor double precision, school_floor double precision, school_limit integer, keyword_coverage double precision, school_coverage double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION search.apply_floor(hits search.ranked_hit[], has_vector boolean, relevance_floor double precision, school_floor double precision, school_limit integer, keyword_coverage double precision, school_coverage double precision) TO pgkb_admin;

CREATE FUNCTION search.assemble(retrieval search.retrieval) RETURNS SETOF public.search_result
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with chosen_hit as (
        select
            h as h,
            c.content,
            c.chunk_index,
            c.start_at,
            c.start_at + length(c.content) as end_at,
            c.scope_id
        from unnest((assemble.retrieval).hits) as h
        inner join corpus.chunk as c on h.chunk_id = c.chunk_id
        where h.place is not null
    ),

    answer as (
        select
            n.*,
            case when (select config.value('kb.chunk_expansion_enabled')::boolean) then (
                select
                    left(p.content, greatest(0, n.start_at - p.start_at))
                    || case when p.start_at + length(p.content) < n.start_at then E'\n' else '' end
                from corpus.chunk as p
                inner join corpus.chunk_fact as f on p.chunk_id = f.chunk_id
                where
                    p.version_id = (n.h).version_id
                    and p.chunk_index = n.chunk_index - 1
                    -- of a superseded version: what it was when it was superseded
                    and coalesce(f.status_before, f.status)
                    = any(((assemble.retrieval).request).statuses)
                    and p.chunk_id not in (select (o.h).chunk_id from chosen_hit as o)
            ) end as text_before,
            case when (select config.value('kb.chunk_expansion_enabled')::boolean) then (
                select
                    case when x.start_at > n.end_at then E'\n' else '' end
                    || substr(x.content, greatest(1, n.end_at - x.start_at + 1))
                from corpus.chunk as x
                inner join corpus.chunk_fact as f on x.chunk_id = f.chunk_id
                where
                    x.version_id = (n.h).version_id
                    and x.chunk_index = n.chunk_index + 1
                    -- of a superseded version: what it was when it was superseded
                    and coalesce(f.status_before, f.status)
                    = any(((assemble.retrieval).request).statuses)
                    and x.chunk_id not in (select (o.h).chunk_id from chosen_hit as o)
            ) end as text_after
        from chosen_hit as n
    )

    select
        (a.h).chunk_id,
        (a.h).document_id,
        v.title,
        d.source,
        a.content,
        coalesce(a.text_before, '') || a.content || coalesce(a.text_after, ''),
        a.chunk_index,
        s.la_code,
        s.school_urn,
        f.tags,
        v.document_type,
        v.authority,
        v.version,
        v.effective_date,
        v.published_at,
        (a.h).scope,
        (a.h).similarity,
        (a.h).vector_rank,
        (a.h).bm25_score,
        (a.h).bm25_rank,
        (a.h).matched_by,
        (a.h).rrf_raw,
        (a.h).freshness,
        (a.h).authority_weight,
        (a.h).boost,
        (a.h).score,
        (assemble.retrieval).topic_fallback_used,
        (assemble.retrieval).no_la_broad_fallback_used,
        (a.h).school_boosted
    from answer as a
    inner join corpus.version as v on (a.h).version_id = v.version_id
    inner join corpus.document as d on (a.h).document_id = d.document_id
    inner join corpus.scope as s on a.scope_id = s.scope_id
    inner join corpus.chunk_fact as f on (a.h).chunk_id = f.chunk_id
    order by (a.h).place;
$$;

COMMENT ON FUNCTION search.assemble(retrieval search.retrieval) IS 'The answer of a retrieval: its chosen chunks in their places, each with its neighbours as context.';

REVOKE ALL ON FUNCTION search.assemble(retrieval search.retrieval) FROM PUBLIC;
GRANT ALL ON FUNCTION search.assemble(retrieval search.retrieval) TO pgkb_admin;

CREATE FUNCTION search.bm25_settings() RETURNS search.bm25
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select
        config.value('kb.bm25_k1')::double precision,
        config.value('kb.bm25_b')::double precision,
        n.chunks,
        greatest(1, n.tokens) / n.chunks,
        config.value('kb.expansion_weight')::double precision,
        -- in a small corpus a word in three chunks is still rare
        greatest(3, config.value('kb.rare_share')::double precision * n.chunks)
    from (
        select
            greatest(1, coalesce(sum(z.chunks), 0))::double precision as chunks,
            coalesce(sum(z.tokens), 0)::double precision as tokens
        from search.scope_size as z
        where z.scope_id = 0
    ) as n;
$$;

COMMENT ON FUNCTION search.bm25_settings() IS 'The settings of BM25 and the size of the corpus, read once for a search.';

REVOKE ALL ON FUNCTION search.bm25_settings() FROM PUBLIC;
GRANT ALL ON FUNCTION search.bm25_settings() TO pgkb_admin;

CREATE FUNCTION search.calibrate(questions integer DEFAULT 20, dry_run boolean DEFAULT false) RETURNS TABLE(index_ms double precision, exact_ms_per_thousand double precision, measured_chunks bigint, exact_limit integer, installed boolean)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set embedding.set := embedding.active_set();
    _statuses text[] := regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*');
    _candidates integer := config.value('kb.candidates')::integer;
    _everywhere bigint[] := array(select s.scope_id from corpus.scope as s);
    _scope record;
    _query public.halfvec;
    _begun timestamptz;
    _index_ms double precision[] := '{}';
    _exact_ms double precision[] := '{}';
begin
    -- the largest scope that a search may still scan exactly
    select z.scope_id, z.chunks into _scope
    from search.scope_size as z
    where z.scope_id <> 0 and z.chunks between 1000 and 50000
    order by z.chunks desc
    limit 1;
    if not found then
        raise exception 'no scope holds 1,000 to 50,000 chunks: there is nothing to measure with'
            using errcode = 'SE004', hint = 'Keep kb.exact_limit as it is until there is more text.';
    end if;
    for _query in
        select v.embedding
        from embedding.vector as v
        where v.set_id = _set.set_id
        order by hashint8(v.chunk_id)
        limit calibrate.questions + 1
    loop
        _begun := clock_timestamp();
        perform search.index_hits(
            _query, _set.set_id, _everywhere, _statuses, null, _candidates
        );
        _index_ms := _index_ms || extract(epoch from clock_timestamp() - _begun)::double precision * 1000;
        _begun := clock_timestamp();
        perform search.exact_hits(
            _query, _set.set_id, array[_scope.scope_id], _statuses, null, _candidates
        );
        _exact_ms := _exact_ms || extract(epoch from clock_timestamp() - _begun)::double precision * 1000;
    end loop;
    -- the first of each was cold
    select percentile_cont(0.5) within group (order by m) into index_ms
    from unnest(_index_ms[2:]) as m;
    select
        percentile_cont(0.5) within group (order by m) / _scope.chunks * 1000
    into exact_ms_per_thousand
    from unnest(_exact_ms[2:]) as m;
    measured_chunks := _scope.chunks;
    -- twice the index's time buys a recall of one
    exact_limit := least(100000, greatest(2000, round(
        2000 * index_ms / exact_ms_per_thousand
    )));
    installed := not calibrate.dry_run;
    if installed then
        perform config.install_setting('kb.exact_limit', exact_limit::text);
    end if;
    return next;
end;
$$;

COMMENT ON FUNCTION search.calibrate(questions integer, dry_run boolean) IS 'Measure on this machine how many chunks an exact scan reads in the time the index needs, and install it as kb.exact_limit.';

REVOKE ALL ON FUNCTION search.calibrate(questions integer, dry_run boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION search.calibrate(questions integer, dry_run boolean) TO pgkb_admin;

CREATE FUNCTION search.caller_is_admin() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    -- current_user is the owner inside a definer's function; what set role said is not
    select pg_has_role(
        coalesce(nullif(current_setting('role'), 'none'), session_user), 'pgkb_admin', 'usage'
    );
$$;

COMMENT ON FUNCTION search.caller_is_admin() IS 'Whether the role that calls, as it logged in or set itself, has the rights of pgkb_admin; also inside a definer''s function.';

REVOKE ALL ON FUNCTION search.caller_is_admin() FROM PUBLIC;
GRANT ALL ON FUNCTION search.caller_is_admin() TO pgkb_admin;

CREATE FUNCTION search.check_arguments(top_k integer, candidates integer, statuses text[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if check_arguments.top_k not between 1 and 100
        or check_arguments.candidates not between 1 and 1000
    then
        raise exception 'top_k % or candidates % is out of range',
            check_arguments.top_k, check_arguments.candidates
            using errcode = 'SE001', hint = 'top_k is 1 to 100, candidates 1 to 1000.';
    end if;
    -- past these a share of the score would be too small for a number
    if not (check_arguments.rrf_k > 0 and check_arguments.rrf_k <= 1e6)
        or not (
            check_arguments.vector_weight = 0
            or check_arguments.vector_weight between 1e-18 and 1000
        )
        or not (
            check_arguments.keyword_weight = 0
            or check_arguments.keyword_weight between 1e-18 and 1000
        )
    then
        raise exception 'rrf_k, vector_weight or keyword_weight is out of range'
            using errcode = 'SE001',
                  hint = 'k is over 0 to 1000000, weights are 0 or 1e-18 to 1000.';
    end if;
    -- an allow-list, whoever asks: rejected, flagged and superseded text never comes back
    if not check_arguments.statuses <@ array['approved', 'pending'] then
        raise exception 'a state in % may not be retrieved', check_arguments.statuses
            using errcode = 'SE002', hint = 'Give approved, pending or both.';
    end if;
end;
$$;

COMMENT ON FUNCTION search.check_arguments(top_k integer, candidates integer, statuses text[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) IS 'Refuse limits and states that a search cannot have, before any work is done.';

REVOKE ALL ON FUNCTION search.check_arguments(top_k integer, candidates integer, statuses text[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION search.check_arguments(top_k integer, candidates integer, statuses text[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) TO pgkb_admin;

CREATE FUNCTION search.check_statistics() RETURNS TABLE(statistic text, subject text, kept bigint, counted bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with kept_number as (
        select 'lexeme chunks' as statistic, s.lexeme collate "C" as subject, s.chunks as number
        from search.lexeme_stat as s
        union all
        select 'lexeme chunks', d.lexeme, d.chunks
        from search.lexeme_delta as d
        union all
        select v.statistic, z.scope_id::text, v.number
        from search.scope_size as z
        cross join lateral (
            values ('scope chunks', z.chunks), ('scope tokens', z.tokens)
        ) as v (statistic, number)
    ),

    counted_number as (
        select 'lexeme chunks' as statistic, w.word collate "C" as subject, w.ndoc::bigint as number
        -- counts in one pass what unnest would make rows of
        from ts_stat('select t.lexemes from search.text_index as t') as w
        union all
        select v.statistic, c.scope_id::text, v.number
        from (
            select
                coalesce(t.scope_id, 0) as scope_id,
                count(*) as chunks,
                sum(t.token_count) as tokens
            from search.text_index as t
            group by grouping sets ((t.scope_id), ())
            having count(*) > 0
        ) as c
        cross join lateral (
            values ('scope chunks', c.chunks), ('scope tokens', c.tokens)
        ) as v (statistic, number)
    )

    select n.statistic, n.subject, n.kept, n.counted
    from (
        select
            b.statistic,
            b.subject,
            sum(b.kept)::bigint as kept,
            sum(b.counted)::bigint as counted
        from (
            select k.statistic, k.subject, k.number as kept, 0 as counted from kept_number as k
            union all
            select c.statistic, c.subject, 0, c.number from counted_number as c
        ) as b
        group by b.statistic, b.subject
    ) as n
    where n.kept <> n.counted
    order by n.statistic, n.subject;
$$;

COMMENT ON FUNCTION search.check_statistics() IS 'Compare the statistics BM25 goes by, folded or not, with a recount of the text index: one row per difference, none when exact.';

REVOKE ALL ON FUNCTION search.check_statistics() FROM PUBLIC;
GRANT ALL ON FUNCTION search.check_statistics() TO pgkb_admin;

CREATE FUNCTION search.choose(hits search.ranked_hit[], top_k integer, max_chunks_per_document integer) RETURNS SETOF search.ranked_hit
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _row record;
    _hit record;   -- a search.ranked_hit
    _eligible search.ranked_hit[];
    _passed_over search.ranked_hit[];
    _takers bigint[];   -- by number of the text: who has it
    _taken integer[];   -- by number of the document: how many chunks
begin
    for _row in
        select
            h as hit,
            dense_rank() over (order by h.content_hash) as text_number,
            dense_rank() over (order by h.document_id) as document_number
        from unnest(choose.hits) as h
        where h.dropped_because is null
        order by h.score desc, h.chunk_id
    loop
        _hit := _row.hit;
        if _takers[_row.text_number] is not null then
            _hit.dropped_at := 'same_text';
            _hit.dropped_because := format(
                'same text as chunk %s, which stands higher', _takers[_row.text_number]
            );
        elsif _taken[_row.document_number] >= choose.max_chunks_per_document then
            _hit.dropped_at := 'document_full';
            _hit.dropped_because := format(
                'its document already has the %s chunks it may have',
                choose.max_chunks_per_document
            );
        end if;
        if _hit.dropped_at is not null then
            _passed_over := _passed_over || _hit;
        else
            _takers[_row.text_number] := _hit.chunk_id;
            _taken[_row.document_number] := coalesce(_taken[_row.document_number], 0) + 1;
            _eligible := _eligible || _hit;
        end if;
    end loop;

    for _row in
        select
            t.hit,
            t.turn,
            row_number() over (
                -- what was only brought in for the school never stands above what answers
                order by t.turn > choose.top_k, (t.hit).school_boosted, (t.hit).score desc,
                    (t.hit).chunk_id
            ) as place
        from (
            select
                r.hit,
                row_number() over (
                    order by r.reserved desc, (r.hit).school_boosted, (r.hit).score desc,
                        (r.hit).chunk_id
                ) as turn
            from (
                select
                    h as hit,
                    -- a chunk with the very identifier or all rare words of the question, which
                    -- fusion may rank under many merely similar ones, and what was brought in
                    -- for the asked school keep some places
                    row_number() over (
                        partition by h.school_boosted, h.floor_exempt
                        order by h.score desc, h.chunk_id
                    ) <= case
                        when h.school_boosted then choose.top_k / 2
                        when h.floor_exempt then choose.top_k / 3
                        else 0
                    end as reserved
                from unnest(_eligible) as h
            ) as r
        ) as t
        order by place
    loop
        _hit := _row.hit;
        if _row.turn <= choose.top_k then
            _hit.place := _row.place;
        else
            _hit.dropped_at := 'top_k';
            _hit.dropped_because := format(
                'comes %s in line, the answer holds %s',
                to_char(_row.turn, 'FM999999th'), choose.top_k
            );
        end if;
        return next _hit;
    end loop;

    return query
    select h.*
    from (
        select p.* from unnest(_passed_over) as p
        union all
        select d.* from unnest(choose.hits) as d where d.dropped_because is not null
    ) as h
    order by h.score desc, h.chunk_id;
end;
$$;

COMMENT ON FUNCTION search.choose(hits search.ranked_hit[], top_k integer, max_chunks_per_document integer) IS 'From the kept candidates the answer: equal texts once, few chunks a document, the best top_k; each of the others with the reason it is not in it.';

REVOKE ALL ON FUNCTION search.choose(hits search.ranked_hit[], top_k integer, max_chunks_per_document integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.choose(hits search.ranked_hit[], top_k integer, max_chunks_per_document integer) TO pgkb_admin;

CREATE FUNCTION search.choose_words(words search.query_word[], share double precision, budget double precision, pool integer) RETURNS SETOF search.query_word
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select r.lexeme, r.expansion, r.identifier, r.chunks, r.idf
    from (
        select
            w.*,
            sum(w.chunks) over (order by w.chunks, w.lexeme) * choose_words.share as postings
        from unnest(choose_words.words) as w
        where w.chunks > 0
    ) as r
    where
        r.postings <= choose_words.budget
        or r.postings - r.chunks * choose_words.share < choose_words.pool
    order by r.postings;
$$;

COMMENT ON FUNCTION search.choose_words(words search.query_word[], share double precision, budget double precision, pool integer) IS 'The words whose postings are read to find candidates: rarest first until the budget is spent, never so few that they cannot fill the pool.';

REVOKE ALL ON FUNCTION search.choose_words(words search.query_word[], share double precision, budget double precision, pool integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.choose_words(words search.query_word[], share double precision, budget double precision, pool integer) TO pgkb_admin;

CREATE FUNCTION search.chunks_as_of(as_of date, scope_ids bigint[], statuses text[], tags text[] DEFAULT NULL::text[]) RETURNS SETOF bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select c.chunk_id
    from corpus.version as v
    inner join corpus.chunk as c on v.version_id = c.version_id
    inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
    where
        v.state in ('published', 'superseded')
        and v.valid_from <= chunks_as_of.as_of
        and (v.valid_to is null or v.valid_to > chunks_as_of.as_of)
        and f.scope_id = any(chunks_as_of.scope_ids)
        and coalesce(f.status_before, f.status) = any(chunks_as_of.statuses)
        and (chunks_as_of.tags is null or f.tags && chunks_as_of.tags);
$$;

COMMENT ON FUNCTION search.chunks_as_of(as_of date, scope_ids bigint[], statuses text[], tags text[]) IS 'The chunks in these scopes of the versions in force on a day, in these states now or when they were superseded.';

REVOKE ALL ON FUNCTION search.chunks_as_of(as_of date, scope_ids bigint[], statuses text[], tags text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.chunks_as_of(as_of date, scope_ids bigint[], statuses text[], tags text[]) TO pgkb_admin;

CREATE FUNCTION search.count_candidates(hits search.ranked_hit[], attempts integer DEFAULT 1, topic_fallback_used boolean DEFAULT false, no_la_broad_fallback_used boolean DEFAULT false) RETURNS search.candidate_count
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select row(
        count(h.chunk_id),
        count(h.chunk_id) filter (where h.vector_rank is not null),
        count(h.chunk_id) filter (where h.bm25_rank is not null),
        count(h.chunk_id) filter (where h.dropped_at is distinct from 'floor'),
        count_candidates.attempts,
        count_candidates.topic_fallback_used,
        count_candidates.no_la_broad_fallback_used
    )::search.candidate_count
    from unnest(count_candidates.hits) as h;
$$;

COMMENT ON FUNCTION search.count_candidates(hits search.ranked_hit[], attempts integer, topic_fallback_used boolean, no_la_broad_fallback_used boolean) IS 'What a search weighed, in numbers: candidates of each leg and those the floor kept, and what was tried.';

REVOKE ALL ON FUNCTION search.count_candidates(hits search.ranked_hit[], attempts integer, topic_fallback_used boolean, no_la_broad_fallback_used boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION search.count_candidates(hits search.ranked_hit[], attempts integer, topic_fallback_used boolean, no_la_broad_fallback_used boolean) TO pgkb_admin;

CREATE FUNCTION search.exact_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[] DEFAULT NULL::text[], candidates integer DEFAULT 50, as_of date DEFAULT NULL::date) RETURNS SETOF search.vector_hit
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
    if exact_hits.as_of is null then
        return query execute format(
            $query$
            select h.chunk_id, 1 - h.distance, 0
            from (
                select v.chunk_id, v.embedding operator(public.<=>) $1 as distance
                from embedding.%I as v
                inner join corpus.chunk_fact as f on v.chunk_id = f.chunk_id
                where
                    v.scope_id = any($2)
                    and f.scope_id = any($2)
                    and f.status = any($3)
                    and ($4 is null or f.tags && $4)
                -- by id where equal: what the limit cuts off must not depend on where rows lie
                order by v.embedding operator(public.<=>) $1, v.chunk_id
                limit $5
            ) as h
            $query$,
            'vector_' || exact_hits.set_id
        )
        using
            exact_hits.query, exact_hits.scope_ids, exact_hits.statuses, exact_hits.tags,
            exact_hits.candidates;
        return;
    end if;
    return query
    select h.chunk_id, 1 - h.distance, 0
    from (
        select a.chunk_id, v.embedding operator(public.<=>) exact_hits.query as distance
        from search.chunks_as_of(
            exact_hits.as_of, exact_hits.scope_ids, exact_hits.statuses, exact_hits.tags
        ) as a (chunk_id)
        cross join lateral (
            select w.embedding
            from embedding.vector as w
            where w.set_id = exact_hits.set_id and w.chunk_id = a.chunk_id
            union all
            select k.embedding
            from embedding.cold_vector as k
            where k.set_id = exact_hits.set_id and k.chunk_id = a.chunk_id
        ) as v
        order by distance, a.chunk_id
        limit exact_hits.candidates
    ) as h;
end;
$_$;

COMMENT ON FUNCTION search.exact_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date) IS 'The most similar visible chunks of these scopes by an exact scan: recall 1, cost grows with the scopes.';

REVOKE ALL ON FUNCTION search.exact_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date) FROM PUBLIC;
GRANT ALL ON FUNCTION search.exact_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date) TO pgkb_admin;

CREATE FUNCTION search.explain_absence(retrieval search.retrieval, chunk_id bigint) RETURNS TABLE(verdict text, reason text, place integer, facts jsonb)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _asked search.request := (explain_absence.retrieval).request;
    _last search.attempt := (explain_absence.retrieval).attempts[
        cardinality((explain_absence.retrieval).attempts)
    ];
    _scope_ids bigint[] := array(
        select s.scope_id from unnest((explain_absence.retrieval).scopes) as s
    );
    _reach text := (
        select string_agg(distinct s.label, ', ' order by s.label)
        from unnest((explain_absence.retrieval).scopes) as s
    );
    _chunk record;
    _hit search.ranked_hit;
    _beside search.ranked_hit;
    _missed record;
begin
    select
        c.chunk_id, c.version_id, c.document_id, c.scope_id, c.chunk_index,
        v.state, v.version, v.valid_from, v.valid_to, f.status, f.tags,
        s.kind, s.la_code, s.school_urn, n.version as next_version,
        n.document_id as next_document_id,
        c.scope_id = any(_scope_ids) as in_reach
    into _chunk
    from corpus.chunk as c
    inner join corpus.version as v on c.version_id = v.version_id
    inner join corpus.scope as s on c.scope_id = s.scope_id
    left join corpus.chunk_fact as f on c.chunk_id = f.chunk_id
    left join corpus.version as n on v.superseded_by = n.version_id
    where
        c.chunk_id = explain_absence.chunk_id
        and (c.scope_id = any(_scope_ids) or search.caller_is_admin());

    select h.* into _hit
    from unnest((explain_absence.retrieval).hits) as h
    where h.chunk_id = explain_absence.chunk_id;

    facts := jsonb_strip_nulls(
        to_jsonb(_chunk) - '{next_version,next_document_id}'::text[]
    ) || coalesce(jsonb_strip_nulls(to_jsonb(_hit) - 'content_hash'), '{}');
    place := _hit.place;
    if place is not null then
        verdict := 'in_answer';
        reason := format('it is at place %s of %s', place, _last.chosen);
        return next;
        return;
    end if;

    if _chunk.chunk_id is null then
        verdict := 'no_such_chunk';
        reason := format(
            'there is no chunk %s in what this call may see (%s)',
            coalesce(explain_absence.chunk_id::text, 'NULL'), _reach
        );
        facts := '{}';
    elsif not _chunk.in_reach then
        verdict := 'out_of_scope';
        reason := format(
            'it is %s, this call may see %s',
            concat_ws(' ', _chunk.kind, _chunk.la_code, _chunk.school_urn), _reach
        );
    elsif _chunk.state = 'staged' then
        verdict := 'not_published';
        reason := format('version %s of its document is not published', _chunk.version);
    elsif _asked.as_of is null and _chunk.state = 'superseded' then
        verdict := 'superseded';
        reason := format(
            'its version %s gave way to version %s%s', _chunk.version,
            coalesce(_chunk.next_version::text, 'that is gone'),
            case
                when _chunk.next_document_id <> _chunk.document_id
                    then format(' of document %s', _chunk.next_document_id)
            end
        );
    elsif _chunk.status <> all(_asked.statuses) and _chunk.status <> 'superseded' then
        verdict := 'status';
        reason := format(
            'it is %s, this call shows %s', _chunk.status, array_to_string(_asked.statuses, ', ')
        );
    elsif _asked.as_of is not null and _chunk.chunk_id not in (
        select a.chunk_id
        from search.chunks_as_of(
            _asked.as_of, array[_chunk.scope_id], _asked.statuses
        ) as a (chunk_id)
    ) then
        verdict := 'not_in_force';
        reason := format(
            'its version %s is in force from %s%s, not on %s', _chunk.version,
            coalesce(_chunk.valid_from::text, 'an unknown day'), ' to ' || _chunk.valid_to,
            _asked.as_of
        );
    elsif not coalesce(_chunk.tags && _last.tags, true) then
        verdict := 'tags';
        reason := format(
            'it has none of the tags %s, only %s', array_to_string(_last.tags, ', '),
            coalesce(nullif(array_to_string(_chunk.tags, ', '), ''), 'none')
        );
    elsif _hit.dropped_at is not null then
        verdict := case _hit.dropped_at
            when 'floor' then 'under_relevance_floor'
            when 'top_k' then 'beyond_top_k'
            else _hit.dropped_at
        end;
        reason := _hit.dropped_because;
    else
        select m.* into _missed
        from search.explain_miss(
            explain_absence.retrieval, explain_absence.chunk_id
        ) as m;
        verdict := _missed.verdict;
        reason := _missed.reason;
        facts := facts || _missed.facts;
    end if;

    -- who reads the answer may see it all the same, beside a chunk that is in it
    if _chunk.in_reach and config.value('kb.chunk_expansion_enabled')::boolean
        and verdict not in ('not_published', 'superseded', 'status', 'not_in_force')
    then
        select h.* into _beside
        from unnest((explain_absence.retrieval).hits) as h
        inner join corpus.chunk as c on h.chunk_id = c.chunk_id
        where
            h.place is not null
            and c.version_id = _chunk.version_id
            and abs(c.chunk_index - _chunk.chunk_index) = 1
        order by h.place
        limit 1;
        if found then
            facts := facts || jsonb_build_object('by_itself', verdict);
            verdict := 'context_only';
            reason := format(
                'only in the context of chunk %s at place %s; by itself: %s',
                _beside.chunk_id, _beside.place, reason
            );
        end if;
    end if;
    return next;
end;
$$;

COMMENT ON FUNCTION search.explain_absence(retrieval search.retrieval, chunk_id bigint) IS 'Why a chunk is not in the answer of a retrieval, or at which place it is: one verdict, the reason in words, the facts.';

REVOKE ALL ON FUNCTION search.explain_absence(retrieval search.retrieval, chunk_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION search.explain_absence(retrieval search.retrieval, chunk_id bigint) TO pgkb_admin;

CREATE FUNCTION search.explain_miss(retrieval search.retrieval, chunk_id bigint, OUT verdict text, OUT reason text, OUT facts jsonb) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _asked search.request := (explain_miss.retrieval).request;
    _last search.attempt := (explain_miss.retrieval).attempts[
        cardinality((explain_miss.retrieval).attempts)
    ];
    _scope_ids bigint[] := array(
        select s.scope_id from unnest((explain_miss.retrieval).scopes) as s
    );
    _similarity double precision;
    _vector_rank bigint;
    _word_score double precision;
    _word_rank integer;
    _vector_verdict text;
    _vector_reason text;
    _word_verdict text;
    _word_reason text;
begin
    if _asked.query is null then
        _vector_reason := 'no query vector';
    else
        select s.similarity into _similarity
        from search.similarities(
            _asked.query, _asked.set_id, array[explain_miss.chunk_id]
        ) as s;
        if _similarity is null then
            _vector_verdict := 'no_vector';
            _vector_reason := 'it has no vector in the active embedding set';
        elsif _similarity < _asked.retrieval_floor then
            _vector_verdict := 'under_retrieval_floor';
            _vector_reason := format(
                'similarity %s is under the retrieval floor %s',
                round(_similarity::numeric, 3), _asked.retrieval_floor
            );
        else
            select 1 + count(*) into _vector_rank
            from search.exact_hits(
                _asked.query, _asked.set_id, _scope_ids, _asked.statuses, _last.tags, null,
                _asked.as_of
            ) as e
            where (-e.similarity, e.chunk_id) < (-_similarity, explain_miss.chunk_id);
            _vector_verdict := case
                when _vector_rank > _last.candidates then 'others_nearer'
                else 'missed_by_index'
            end;
            _vector_reason := format(
                'similarity %s is number %s of the visible chunks, %s', round(_similarity::numeric, 3),
                _vector_rank, case
                    when _vector_rank > _last.candidates
                        then format('the vector leg brings %s', _last.candidates)
                    else 'and the index, which is approximate, passed it over (see kb.ef_search)'
                end
            );
        end if;
    end if;

    select k.bm25_score into _word_score
    from search.keyword_leg(
        _asked.tsquery, _scope_ids, _asked.statuses, _last.tags, 1, _asked.as_of,
        array[explain_miss.chunk_id]
    ) as k;
    if _word_score is null then
        _word_verdict := 'no_word_matches';
        _word_reason := 'no word of the question that was looked up is in it';
    elsif _asked.keyword_mode = 'vector_first' and _asked.query is not null then
        _word_verdict := 'only_vector_hits';
        _word_reason := 'kb.keyword_mode vector_first scores the words of vector hits only';
    else
        select k.rank into _word_rank
        from search.keyword_leg(
            _asked.tsquery, _scope_ids, _asked.statuses, _last.tags, 1000, _asked.as_of
        ) as k
        where k.chunk_id = explain_miss.chunk_id;
        _word_verdict := 'other_words_better';
        _word_reason := format(
            'BM25 %s is rank %s, the keyword leg brings %s', round(_word_score::numeric, 2),
            coalesce(_word_rank::text, 'beyond 1000'), _last.candidates
        );
    end if;

    select v.verdict into verdict
    from unnest(array[
        'missed_by_index', 'others_nearer', 'other_words_better', 'only_vector_hits',
        'under_retrieval_floor', 'no_vector', 'no_word_matches'
    ]) with ordinality as v (verdict, n)
    where v.verdict in (_vector_verdict, _word_verdict)
    order by v.n
    limit 1;
    reason := _vector_reason || '; ' || _word_reason;
    facts := jsonb_strip_nulls(jsonb_build_object(
        'similarity', _similarity,
        'true_vector_rank', _vector_rank,
        'bm25_score', _word_score,
        'true_bm25_rank', _word_rank,
        'candidates', _last.candidates
    ));
end;
$$;

COMMENT ON FUNCTION search.explain_miss(retrieval search.retrieval, chunk_id bigint, OUT verdict text, OUT reason text, OUT facts jsonb) IS 'Why no leg of a retrieval brought a visible chunk: its true rank in each leg, and the one that came closest.';

REVOKE ALL ON FUNCTION search.explain_miss(retrieval search.retrieval, chunk_id bigint, OUT verdict text, OUT reason text, OUT facts jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION search.explain_miss(retrieval search.retrieval, chunk_id bigint, OUT verdict text, OUT reason text, OUT facts jsonb) TO pgkb_admin;

CREATE FUNCTION search.explain_retrieval(retrieval search.retrieval) RETURNS TABLE(stage_no integer, stage text, chunk_id bigint, title text, scope text, rank integer, value double precision, kept boolean, reason text, detail jsonb)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with asked as materialized (
        select
            ((explain_retrieval.retrieval).request).*,
            (
                select array_agg(s.scope_id)
                from unnest((explain_retrieval.retrieval).scopes) as s
            ) as scope_ids,
            search.caller_is_admin() as by_admin
    ),

    word as (
        select
            w.lexeme, w.expansion, w.identifier, w.chunks, w.idf, a.by_admin, r.chunks as in_reach,
            row_number() over (order by w.idf desc, w.lexeme) as rank
        from asked as a
        cross join lateral search.query_words(a.tsquery) as w
        -- counted to a limit: the most common words are in every other text
        cross join lateral (
            select count(*) as chunks
            from (
                select
                from search.text_index as t
                inner join corpus.chunk_fact as f on t.chunk_id = f.chunk_id
                where
                    t.lexemes @@ terms.quote_lexeme(w.lexeme)::tsquery
                    and t.scope_id = any(a.scope_ids)
                    and f.status = any(a.statuses)
                limit 10000
            ) as o
        ) as r
    ),

    hit as materialized (
        select
            h.*,
            v.title,
            rank() over (order by h.rrf_raw desc) as fused_rank,
            rank() over (order by h.score desc) as weighed_rank,
            jsonb_strip_nulls(to_jsonb(h) - 'content_hash') as detail
        from unnest((explain_retrieval.retrieval).hits) as h
        inner join corpus.version as v on h.version_id = v.version_id
    ),

    step as (
        select
            1 as stage_no, 'request' as stage, null::bigint as chunk_id, null::text as title,
            null::text as scope, null::bigint as rank, null::double precision as value,
            true as kept,
            format(
                '%s; top_k %s, %s candidates a leg, k %s, weights %s vector and %s keyword, '
                'floors %s retrieval, %s relevance, %s school; states %s',
                case
                    when a.query is null then 'keyword leg only (no query vector)'
                    when a.tsquery is null or numnode(a.tsquery) = 0
                        then 'vector leg only (no words)'
                    else 'both legs'
                end,
                a.top_k, a.candidates, a.rrf_k, a.vector_weight, a.keyword_weight,
                a.retrieval_floor, a.relevance_floor, a.school_floor,
                array_to_string(a.statuses, ', ')
            ) as reason,
            jsonb_strip_nulls(
                to_jsonb(a) - '{query,tsquery,scope_ids,by_admin,principals}'::text[]
            ) as detail
        from asked as a
        union all
        select
            2, 'word', null, w.lexeme, null, w.rank,
            case when w.in_reach > 0 or w.by_admin then w.idf end,
            w.in_reach > 0,
            case when w.identifier then 'identifier, ' else '' end
            || case when w.expansion then 'brought by a synonym, ' else '' end
            || case
                when w.in_reach = 0 then 'in no chunk within reach'
                else format(
                    'in %s chunks within reach, idf %s',
                    case when w.in_reach = 10000 then 'at least ' else '' end || w.in_reach,
                    round(w.idf::numeric, 2)
                )
            end,
            case when w.by_admin then jsonb_build_object('chunks_of_corpus', w.chunks) end
        from word as w
        union all
        select
            3, 'attempt', null, null, null, t.attempt, null,
            t.attempt = cardinality((explain_retrieval.retrieval).attempts),
            format(
                '%s, %s, %s candidates a leg: %s by vector, %s by keyword, %s fused, '
                '%s over the floor, %s chosen',
                coalesce(
                    'tags ' || array_to_string(t.tags, ', '),
                    case when a.tags is null then 'no tags' else 'tags dropped' end
                ),
                case when t.everywhere then 'all areas' else 'the scopes of the call' end,
                t.candidates, t.vector_hits, t.keyword_hits, t.fused, t.kept, t.chosen
            ),
            to_jsonb(t)
        from asked as a
        cross join unnest((explain_retrieval.retrieval).attempts) as t
        union all
        select
            4, 'scope', null, null, p.label,
            row_number() over (order by p.chunks, p.scope_id), p.chunks, p.plan <> 'none',
            p.plan || ': ' || p.reason, to_jsonb(p)
        from unnest((explain_retrieval.retrieval).plans) as p
        union all
        select
            5, 'vector', h.chunk_id, h.title, h.scope, h.vector_rank, h.similarity, true,
            format(
                'similarity %s is rank %s', round(h.similarity::numeric, 3), h.vector_rank
            ),
            null
        from hit as h
        where h.vector_rank is not null
        union all
        select
            6, 'keyword', h.chunk_id, h.title, h.scope, h.bm25_rank, h.bm25_score, true,
            format(
                'BM25 %s is rank %s, %s of the question''s idf%s',
                round(h.bm25_score::numeric, 2), h.bm25_rank, round(h.coverage::numeric, 2),
                case when h.floor_exempt then ', an identifier or every rare word' else '' end
            ),
            null
        from hit as h
        where h.bm25_rank is not null
        union all
        select
            7, 'fusion', h.chunk_id, h.title, h.scope, h.fused_rank, h.rrf_raw, true,
            concat_ws(
                ' + ',
                format('%s / (%s + ', a.vector_weight, a.rrf_k) || h.vector_rank || ')',
                format('%s / (%s + ', a.keyword_weight, a.rrf_k) || h.bm25_rank || ')'
            ),
            null
        from hit as h
        cross join asked as a
        union all
        select
            8, 'weights', h.chunk_id, h.title, h.scope, h.weighed_rank, h.score, true,
            format(
                '%s fused x %s freshness x %s publisher x %s topic and place',
                round(h.rrf_raw::numeric, 5), round(h.freshness::numeric, 3), h.authority_weight,
                round(h.boost::numeric, 3)
            ),
            null
        from hit as h
        union all
        select
            9, 'floor', h.chunk_id, h.title, h.scope, h.weighed_rank,
            coalesce(h.similarity, h.coverage), h.dropped_at is distinct from 'floor',
            case
                when h.dropped_at = 'floor' then h.dropped_because
                when h.floor_exempt
                    then 'no floor for what holds an identifier or every rare word of the question'
                when h.school_boosted
                    then format('brought in for the school, over its floor %s', case
                        when a.query is null then a.school_coverage else a.school_floor
                    end)
                when a.query is null then format(
                    'matches %s of the question''s weight, %s is enough',
                    round(h.coverage::numeric, 2), a.keyword_coverage
                )
                else format(
                    'similarity %s reaches the relevance floor %s',
                    round(h.similarity::numeric, 3), a.relevance_floor
                )
            end,
            null
        from hit as h
        cross join asked as a
        union all
        select
            10, 'choice', h.chunk_id, h.title, h.scope, h.weighed_rank, h.score,
            h.place is not null, coalesce(h.dropped_because, 'chosen'), null
        from hit as h
        where h.dropped_at is distinct from 'floor'
        union all
        select
            11, 'answer', h.chunk_id, h.title, h.scope, h.place, h.score, true,
            format('place %s of %s', h.place, count(*) over ()), h.detail
        from hit as h
        where h.place is not null
    )

    select
        s.stage_no, s.stage, s.chunk_id, s.title, s.scope, s.rank::integer, s.value, s.kept,
        s.reason, s.detail
    from step as s
    order by s.stage_no, s.rank, s.chunk_id;
$$;

COMMENT ON FUNCTION search.explain_retrieval(retrieval search.retrieval) IS 'One row per thing a search looked at in each of its steps, in their order, with the reason in words.';

REVOKE ALL ON FUNCTION search.explain_retrieval(retrieval search.retrieval) FROM PUBLIC;
GRANT ALL ON FUNCTION search.explain_retrieval(retrieval search.retrieval) TO pgkb_admin;

CREATE FUNCTION search.find(query_vec public.vector, tsquery tsquery, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, statuses text[] DEFAULT NULL::text[], topics text[] DEFAULT NULL::text[], candidates integer DEFAULT NULL::integer, rrf_k double precision DEFAULT NULL::double precision, vector_weight double precision DEFAULT NULL::double precision, keyword_weight double precision DEFAULT NULL::double precision, embedding_set text DEFAULT NULL::text) RETURNS search.finding
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _found search.retrieval := search.retrieve(search.resolve_request(
        find.query_vec, find.tsquery, find.la, find.home_la, find.urn, find.tags, find.top_k,
        find.principals, find.as_of, find.statuses, find.topics, find.candidates, find.rrf_k,
        find.vector_weight, find.keyword_weight, find.embedding_set
    ));
begin
    return row(
        array(select r from search.assemble(_found) as r),
        search.count_candidates(
            _found.hits, cardinality(_found.attempts), _found.topic_fallback_used,
            _found.no_la_broad_fallback_used
        ),
        (select string_agg(distinct p.plan, ', ' order by p.plan) from unnest(_found.plans) as p),
        _found.timings
    )::search.finding;
end;
$$;

COMMENT ON FUNCTION search.find(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) IS 'The answer of search_kb with the counts from before the floor, and with its flags also where the answer is empty.';

REVOKE ALL ON FUNCTION search.find(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION search.find(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_app;
GRANT ALL ON FUNCTION search.find(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_admin;

CREATE FUNCTION search.fold_statistics() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _lexemes integer;
    _scopes integer;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('search.fold_statistics', 0)) then
        return 0;
    end if;
    with taken_delta as (
        delete from search.lexeme_delta as d returning d.lexeme, d.chunks
    )

    insert into search.lexeme_stat as s (lexeme, chunks)
    select t.lexeme, sum(t.chunks)
    from taken_delta as t
    group by t.lexeme
    on conflict (lexeme) do update set chunks = s.chunks + excluded.chunks;
    get diagnostics _lexemes = row_count;
    delete from search.lexeme_stat as s where s.chunks = 0;

    with taken_delta as (
        delete from search.scope_delta as d returning d.scope_id, d.chunks, d.tokens
    )

    insert into search.scope_stat as s (scope_id, chunks, tokens)
    select t.scope_id, sum(t.chunks), sum(t.tokens)
    from taken_delta as t
    group by t.scope_id
    on conflict (scope_id) do update set
        chunks = s.chunks + excluded.chunks, tokens = s.tokens + excluded.tokens;
    get diagnostics _scopes = row_count;
    return _lexemes + _scopes;
end;
$$;

COMMENT ON FUNCTION search.fold_statistics() IS 'Fold the noted deltas into the statistics; returns how many were folded. Searches see the same numbers before and after.';

REVOKE ALL ON FUNCTION search.fold_statistics() FROM PUBLIC;
GRANT ALL ON FUNCTION search.fold_statistics() TO pgkb_ingest;
GRANT ALL ON FUNCTION search.fold_statistics() TO pgkb_admin;

CREATE FUNCTION search.freshness(effective_date date, on_day date, floor double precision DEFAULT 0.8) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select case
        when freshness.effective_date is null or freshness.on_day is null then 1.0
        -- infinite days cannot be subtracted
        when not isfinite(freshness.effective_date) or not isfinite(freshness.on_day) then
            case when freshness.effective_date < freshness.on_day then freshness.floor else 1.0 end
        else
            freshness.floor + (1 - freshness.floor)
            / (1 + greatest(0, freshness.on_day - freshness.effective_date) / 365.25)
    end;
$$;

COMMENT ON FUNCTION search.freshness(effective_date date, on_day date, floor double precision) IS 'Mild weight by age: floor + (1 - floor) / (1 + years); a date to come counts as today, an unknown one is neutral.';

REVOKE ALL ON FUNCTION search.freshness(effective_date date, on_day date, floor double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION search.freshness(effective_date date, on_day date, floor double precision) TO pgkb_admin;

CREATE FUNCTION search.fuse(vector_hits search.vector_hit[], keyword_hits search.keyword_hit[], rrf_k double precision DEFAULT 60, vector_weight double precision DEFAULT 1, keyword_weight double precision DEFAULT 1) RETURNS SETOF search.ranked_hit
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select
        coalesce(v.chunk_id, k.chunk_id),
        null::bigint,
        null::bigint,
        null::text,
        v.similarity,
        v.rank,
        k.bm25_score,
        k.rank,
        case
            when k.chunk_id is null then 'vector'
            when v.chunk_id is null then 'keyword'
            else 'hybrid'
        end,
        coalesce(fuse.vector_weight / (fuse.rrf_k + v.rank), 0)
        + coalesce(fuse.keyword_weight / (fuse.rrf_k + k.rank), 0),
        null::double precision,
        null::double precision,
        null::double precision,
        null::double precision,
        coalesce(k.identifier_matched or k.rare_words_matched, false),
        coalesce(k.coverage, 0),
        false,
        null::text,
        null::bytea,
        null::text,
        null::integer
    from unnest(fuse.vector_hits) as v
    full outer join unnest(fuse.keyword_hits) as k on v.chunk_id = k.chunk_id;
$$;

COMMENT ON FUNCTION search.fuse(vector_hits search.vector_hit[], keyword_hits search.keyword_hit[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) IS 'Reciprocal Rank Fusion of the two legs: sum of weight / (k + rank), equal scores share a rank, absent counts zero.';

REVOKE ALL ON FUNCTION search.fuse(vector_hits search.vector_hit[], keyword_hits search.keyword_hit[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION search.fuse(vector_hits search.vector_hit[], keyword_hits search.keyword_hit[], rrf_k double precision, vector_weight double precision, keyword_weight double precision) TO pgkb_admin;

CREATE FUNCTION search.hash_question(question text) RETURNS bytea
    LANGUAGE sql STABLE STRICT SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select sha256(k.key || convert_to(terms.fold_text(hash_question.question), 'UTF8'))
    from search.hash_key as k;
$$;

COMMENT ON FUNCTION search.hash_question(question text) IS 'Fingerprint of the folded question under this database''s own key: equal questions are equal, none can be guessed.';

REVOKE ALL ON FUNCTION search.hash_question(question text) FROM PUBLIC;
GRANT ALL ON FUNCTION search.hash_question(question text) TO pgkb_app;

CREATE FUNCTION search.health(since interval DEFAULT '7 days'::interval) RETURNS TABLE(day date, searches bigint, questions bigint, results_mean double precision, candidates_mean double precision, no_answer_share double precision, hybrid_share double precision, vector_only_share double precision, keyword_only_share double precision, keyword_only_searches bigint, topic_fallback_share double precision, broad_fallback_share double precision, school_boosted_share double precision, no_local_share double precision, p50_ms double precision, p95_ms double precision)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select
        r.at::date,
        count(*),
        count(distinct r.question_hash),
        avg(r.result_count)::double precision,
        avg(r.candidate_count)::double precision,
        avg((r.result_count = 0)::integer)::double precision,
        sum(r.hybrid_count)::double precision / nullif(sum(r.result_count), 0),
        sum(r.vector_only_count)::double precision / nullif(sum(r.result_count), 0),
        sum(r.keyword_only_count)::double precision / nullif(sum(r.result_count), 0),
        count(*) filter (where r.mode = 'keyword_only'),
        avg(r.topic_fallback_used::integer)::double precision,
        avg(r.no_la_broad_fallback_used::integer)::double precision,
        avg(r.school_boosted::integer)::double precision,
        avg((r.la_count = 0)::integer) filter (where r.la_code is not null)::double precision,
        percentile_cont(0.5) within group (order by r.total_ms),
        percentile_cont(0.95) within group (order by r.total_ms)
    from search.record as r
    where r.at >= now() - health.since
    group by grouping sets ((r.at::date), ())
    order by 1 desc nulls first;
$$;

COMMENT ON FUNCTION search.health(since interval) IS 'How searches went since an interval ago, a row for each day and, with day NULL, one for the whole time.';

REVOKE ALL ON FUNCTION search.health(since interval) FROM PUBLIC;
GRANT ALL ON FUNCTION search.health(since interval) TO pgkb_admin;

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
    AS $_$
declare
    _binary boolean := (
        select s.index_kind = 'binary' from embedding.set as s where s.set_id = index_hits.set_id
    );
    _depth integer := index_hits.candidates;
    _order text;
begin
    if _binary then
        -- bits tell less the more is asked for
        _depth := least(
            1000,
            greatest(8 * index_hits.candidates, config.value('kb.rerank_depth')::integer)
        );
        _order := 'public.binary_quantize(v.embedding)::bit(%1$s) operator(public.<~>) '
            'public.binary_quantize($1)::bit(%1$s)';
    else
        _order := 'v.embedding::public.halfvec(%1$s) operator(public.<=>) $1::public.halfvec(%1$s)';
    end if;
    -- the list must hold what is asked for; pgvector refuses more than 1000
    perform set_config(
        'hnsw.ef_search',
        least(1000, greatest(_depth, config.value('kb.ef_search')::integer))::text,
        true
    );
    return query execute format(
        $query$
        select n.chunk_id, 1 - n.distance, 0
        from (
            select h.chunk_id, h.embedding operator(public.<=>) $1 as distance
            from (
                select v.chunk_id, v.embedding
                from embedding.%1$I as v
                inner join corpus.chunk_fact as f on v.chunk_id = f.chunk_id
                where
                    %2$s
                    and f.status = any($3)
                    and ($4 is null or f.tags && $4)
                order by %3$s
                limit $6
            ) as h
        ) as n
        order by n.distance, n.chunk_id
        limit $5
        $query$,
        'vector_' || index_hits.set_id,
        -- only a constant makes the planner see that the index of the national scope will do
        case
            when cardinality(index_hits.scope_ids) = 1
                then format('v.scope_id = %s', index_hits.scope_ids[1])
            else 'v.scope_id = any($2)'
        end,
        format(_order, public.vector_dims(index_hits.query))
    )
    using
        index_hits.query, index_hits.scope_ids, index_hits.statuses, index_hits.tags,
        index_hits.candidates, _depth;
end;
$_$;

COMMENT ON FUNCTION search.index_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer) IS 'The most similar visible chunks of these scopes by an HNSW index, scanned on while the filter leaves too few.';

REVOKE ALL ON FUNCTION search.index_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.index_hits(query public.halfvec, set_id integer, scope_ids bigint[], statuses text[], tags text[], candidates integer) TO pgkb_admin;

CREATE FUNCTION search.keyword_leg(tsquery tsquery, scope_ids bigint[], statuses text[], tags text[] DEFAULT NULL::text[], candidates integer DEFAULT 50, as_of date DEFAULT NULL::date, within bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF search.keyword_hit
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _budget bigint := config.value('kb.keyword_budget')::bigint;
    _pool_size integer := greatest(200, 4 * keyword_leg.candidates);
    _bm25 search.bm25;
    _words search.query_word[];
    _chosen search.query_word[];
    _identifiers search.query_word[];
    _any_word tsquery;
    _share double precision;   -- of the corpus that is in the scopes
    _in_scopes tsquery;        -- NULL where the scopes are too many or too large to narrow by
    _pool search.text_index[];
begin
    if keyword_leg.tsquery is null or numnode(keyword_leg.tsquery) = 0
        or coalesce(cardinality(keyword_leg.scope_ids), 0) = 0
    then
        return;
    end if;
    _bm25 := search.bm25_settings();
    _words := array(select w from search.query_words(keyword_leg.tsquery) as w);
    _any_word := (
        select string_agg(terms.quote_lexeme(w.lexeme), ' | ')::tsquery from unnest(_words) as w
    );

    if keyword_leg.as_of is not null then
        _pool := array(
            select t
            from search.keyword_pool_as_of(
                _any_word, keyword_leg.as_of, keyword_leg.scope_ids, keyword_leg.statuses,
                keyword_leg.tags, keyword_leg.within
            ) as t
        );
    elsif keyword_leg.within is not null then
        _pool := array(
            select t
            from search.keyword_pool(
                _words, _bm25, keyword_leg.scope_ids, null, keyword_leg.statuses,
                keyword_leg.tags, _pool_size, null, 1, keyword_leg.within
            ) as t
        );
    else
        select least(1, coalesce(sum(z.chunks), 0) / _bm25.chunks) into _share
        from search.scope_size as z
        where z.scope_id = any(keyword_leg.scope_ids);
        if _share < 0.5 and cardinality(keyword_leg.scope_ids) <= 64 then
            _in_scopes := (
                select string_agg(terms.quote_lexeme('@' || s.scope_id), ' | ')::tsquery
                from unnest(keyword_leg.scope_ids) as s (scope_id)
            );
        end if;
        _chosen := array(
            select w from search.choose_words(_words, _share, _budget, _pool_size) as w
        );
        _pool := array(
            select t
            from search.keyword_pool(
                _chosen, _bm25, keyword_leg.scope_ids, _in_scopes, keyword_leg.statuses,
                keyword_leg.tags, _pool_size, _budget, _share
            ) as t
        );
        if cardinality(_pool) < keyword_leg.candidates and (
            exists (
                select from unnest(_words) as w
                where w.chunks > 0 and w.lexeme not in (select c.lexeme from unnest(_chosen) as c)
            )
            or exists (select from unnest(_chosen) as w where w.chunks * _share > _budget)
        ) then
            -- few of the rarest words' chunks pass the filters: look from the filters' side
            _pool := array(
                select t
                from search.keyword_pool(
                    _words, _bm25, keyword_leg.scope_ids, null, keyword_leg.statuses,
                    keyword_leg.tags, _pool_size, null, 1, array(
                        select f.chunk_id
                        from corpus.chunk_fact as f
                        where
                            f.scope_id = any(keyword_leg.scope_ids)
                            and f.status = any(keyword_leg.statuses)
                            and (keyword_leg.tags is null or f.tags && keyword_leg.tags)
                    )
                ) as t
            );
        end if;
        _identifiers := array(
            select w from unnest(_chosen) as w where w.identifier and not w.expansion
        );
        if cardinality(_pool) >= _pool_size and cardinality(_identifiers) > 0 then
            _pool := _pool || array(
                select t
                from search.keyword_pool(
                    _identifiers, _bm25, keyword_leg.scope_ids, _in_scopes, keyword_leg.statuses,
                    keyword_leg.tags, _pool_size / 4, _budget
                ) as t
                where not exists (
                    select from unnest(_pool) as p where p.chunk_id = t.chunk_id
                )
            );
        end if;
    end if;

    return query
    select
        r.chunk_id, r.bm25_score, r.rank, r.identifier_matched, r.rare_words_matched, r.coverage
    from (
        select s.*
        from (
            select
                h.*,
                row_number() over (
                    partition by h.identifier_matched order by h.rank, h.chunk_id
                ) as nth
            from search.score_texts(_pool, _words, _bm25) as h
        ) as s
        order by
            s.identifier_matched and s.nth <= greatest(1, keyword_leg.candidates / 3) desc,
            s.rank, s.chunk_id
        limit keyword_leg.candidates
    ) as r
    order by r.rank, r.chunk_id;
end;
$$;

COMMENT ON FUNCTION search.keyword_leg(tsquery tsquery, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date, within bigint[]) IS 'The keyword leg: the best visible chunks by BM25 over the whole visible corpus, any word matching; a chunk without a match is not there.';

REVOKE ALL ON FUNCTION search.keyword_leg(tsquery tsquery, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date, within bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.keyword_leg(tsquery tsquery, scope_ids bigint[], statuses text[], tags text[], candidates integer, as_of date, within bigint[]) TO pgkb_admin;

CREATE FUNCTION search.keyword_pool(words search.query_word[], bm25 search.bm25, scope_ids bigint[], in_scopes tsquery, statuses text[], tags text[], pool integer, budget bigint, share double precision DEFAULT 1, within bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF search.text_index
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
    _k1 double precision := (keyword_pool.bm25).k1;
    _b double precision := (keyword_pool.bm25).b;
    _mean_length double precision := (keyword_pool.bm25).mean_length;
    _expansion_weight double precision := (keyword_pool.bm25).expansion_weight;
begin
    return query
    with chosen_word as materialized (
        select
            q.worth,
            q.term,
            case when q.too_common then q.often else q.term end
            && coalesce(keyword_pool.in_scopes, q.term) as first_read,
            case when q.too_common then q.term && !!q.often end
            && coalesce(keyword_pool.in_scopes, q.term) as then_read
        from (
            select
                w.idf * case when w.expansion then _expansion_weight else 1 end as worth,
                terms.quote_lexeme(w.lexeme)::tsquery as term,
                -- search.scoped_lexemes
                terms.quote_lexeme('^' || w.lexeme)::tsquery as often,
                w.chunks * keyword_pool.share > keyword_pool.budget as too_common
            from unnest(keyword_pool.words) as w
        ) as q
    ),

    posting as (
        select
            p.chunk_id,
            sum(
                w.worth * p.tf * (_k1 + 1)
                / (p.tf + _k1 * (1 - _b + _b * p.token_count / _mean_length))
            ) as worth
        from chosen_word as w
        cross join lateral (
            select
                r.chunk_id,
                r.token_count,
                -- ts_rank of one word with equal weights is the sum of 1/i^2 up to its frequency
                -- over pi^2/6; solved for the frequency, exact over a tsvector's 256 positions
                round(
                    1 / (1.64493406685
                    * (1 - ts_rank('{1,1,1,1}', r.lexemes, w.term)::double precision)) - 0.5
                ) as tf
            from (
                select t.chunk_id, t.token_count, t.lexemes
                from search.text_index as t
                where
                    search.scoped_lexemes(t.lexemes, t.scope_id) @@ w.first_read
                    and t.scope_id = any(keyword_pool.scope_ids)
                    and (keyword_pool.within is null or t.chunk_id = any(keyword_pool.within))
                union all
                select t.chunk_id, t.token_count, t.lexemes
                from search.text_index as t
                where
                    search.scoped_lexemes(t.lexemes, t.scope_id) @@ w.then_read
                    and t.scope_id = any(keyword_pool.scope_ids)
                    and (keyword_pool.within is null or t.chunk_id = any(keyword_pool.within))
                limit keyword_pool.budget
            ) as r
        ) as p
        group by p.chunk_id
    )

    select t.*
    from (
        select p.chunk_id
        from (
            select q.chunk_id, q.worth from posting as q order by q.worth desc, q.chunk_id
        ) as p
        -- looked up best first until enough are found: most are visible
        cross join lateral (
            select
            from corpus.chunk_fact as f
            where
                f.chunk_id = p.chunk_id
                and f.status = any(keyword_pool.statuses)
                and (keyword_pool.tags is null or f.tags && keyword_pool.tags)
            offset 0
        ) as f
        order by p.worth desc, p.chunk_id
        limit keyword_pool.pool
    ) as best
    inner join search.text_index as t on best.chunk_id = t.chunk_id;
end;
$$;

COMMENT ON FUNCTION search.keyword_pool(words search.query_word[], bm25 search.bm25, scope_ids bigint[], in_scopes tsquery, statuses text[], tags text[], pool integer, budget bigint, share double precision, within bigint[]) IS 'The visible chunks that score best by these words alone: what the keyword leg scores exactly, by all words.';

REVOKE ALL ON FUNCTION search.keyword_pool(words search.query_word[], bm25 search.bm25, scope_ids bigint[], in_scopes tsquery, statuses text[], tags text[], pool integer, budget bigint, share double precision, within bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.keyword_pool(words search.query_word[], bm25 search.bm25, scope_ids bigint[], in_scopes tsquery, statuses text[], tags text[], pool integer, budget bigint, share double precision, within bigint[]) TO pgkb_admin;

CREATE FUNCTION search.keyword_pool_as_of(any_word tsquery, as_of date, scope_ids bigint[], statuses text[], tags text[], within bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF search.text_index
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select
        c.chunk_id,
        c.scope_id,
        i.lexemes,
        coalesce(i.token_count, terms.count_tokens(i.lexemes))
    from search.chunks_as_of(
        keyword_pool_as_of.as_of, keyword_pool_as_of.scope_ids, keyword_pool_as_of.statuses,
        keyword_pool_as_of.tags
    ) as a (chunk_id)
    inner join corpus.chunk as c on a.chunk_id = c.chunk_id
    inner join corpus.version as v on c.version_id = v.version_id
    left join search.text_index as t on c.chunk_id = t.chunk_id
    cross join lateral (
        select
            coalesce(t.lexemes, terms.to_index(embedding.text_of(v.title, c.content))) as lexemes,
            t.token_count
        -- keeps the words of a text from being found anew for every use
        offset 0
    ) as i
    where
        i.lexemes @@ keyword_pool_as_of.any_word
        and (keyword_pool_as_of.within is null or c.chunk_id = any(keyword_pool_as_of.within));
$$;

COMMENT ON FUNCTION search.keyword_pool_as_of(any_word tsquery, as_of date, scope_ids bigint[], statuses text[], tags text[], within bigint[]) IS 'The chunks in force on a day that hold any of the words; superseded versions are not indexed, so their words are found again from the text.';

REVOKE ALL ON FUNCTION search.keyword_pool_as_of(any_word tsquery, as_of date, scope_ids bigint[], statuses text[], tags text[], within bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.keyword_pool_as_of(any_word tsquery, as_of date, scope_ids bigint[], statuses text[], tags text[], within bigint[]) TO pgkb_admin;

CREATE FUNCTION search.purge_records(batch_size integer DEFAULT 10000) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _records integer;
    _misses integer;
begin
    if coalesce(purge_records.batch_size, 0) < 1 then
        raise exception 'batch_size % is out of range', purge_records.batch_size
            using errcode = 'SE001', hint = 'Give at least 1.';
    end if;
    delete from search.record as r
    where r.record_id in (
        select o.record_id
        from search.record as o
        where o.at < now() - make_interval(days => config.value('kb.record_days')::integer)
        order by o.at
        limit purge_records.batch_size
        for update skip locked
    );
    get diagnostics _records = row_count;
    delete from audit.event as e
    where e.event_id in (
        select o.event_id
        from audit.event as o
        where
            o.kind = 'la_coverage_miss'
            and o.at < now() - make_interval(days => config.value('kb.coverage_miss_days')::integer)
        order by o.at
        limit purge_records.batch_size
        for update skip locked
    );
    get diagnostics _misses = row_count;
    return _records + _misses;
end;
$$;

COMMENT ON FUNCTION search.purge_records(batch_size integer) IS 'Remove the oldest search records and coverage misses whose time is over, one batch of each; returns how many went.';

REVOKE ALL ON FUNCTION search.purge_records(batch_size integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.purge_records(batch_size integer) TO pgkb_ingest;
GRANT ALL ON FUNCTION search.purge_records(batch_size integer) TO pgkb_admin;

CREATE FUNCTION search.query_words(tsquery tsquery) RETURNS SETOF search.query_word
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with corpus_size as (
        select greatest(coalesce(sum(z.chunks), 0), 1) as chunks
        from search.scope_size as z
        where z.scope_id = 0
    ),

    -- querytree is the query without its negations, in the text form of a tsquery
    written_word as (
        select
            replace(replace(m.part[1], '''''', ''''), '\\', '\') as lexeme,
            coalesce(m.part[2], '') = 'D' as expansion,
            coalesce(m.part[2], '') like '%*%' as prefix
        from regexp_matches(
            querytree(query_words.tsquery), '''((?:[^'']|'''')+)''(?::([*ABCD]+))?', 'g'
        ) as m (part)
    ),

    word as (
        select
            e.lexeme,
            bool_and(w.expansion) as expansion
        from written_word as w
        cross join lateral (
            select w.lexeme
            where not w.prefix
            union all
            (
                select s.lexeme
                from (
                    select k.lexeme, k.chunks
                    from search.lexeme_stat as k
                    where
                        w.prefix
                        and k.lexeme >= w.lexeme collate "C"
                        and k.lexeme < (w.lexeme || U&'\+10ffff') collate "C"
                    union all
                    select d.lexeme, d.chunks
                    from search.lexeme_delta as d
                    where
                        w.prefix
                        and d.lexeme >= w.lexeme collate "C"
                        and d.lexeme < (w.lexeme || U&'\+10ffff') collate "C"
                ) as s
                group by s.lexeme
                having sum(s.chunks) > 0
                order by sum(s.chunks) desc, s.lexeme
                limit 16
            )
        ) as e
        group by e.lexeme
    ),

    counted_word as (
        select
            w.lexeme,
            w.expansion,
            left(w.lexeme, 1) = '#' as identifier,
            greatest(0, coalesce((
                select s.chunks from search.lexeme_stat as s where s.lexeme = w.lexeme collate "C"
            ), 0) + coalesce((
                select sum(d.chunks)
                from search.lexeme_delta as d
                where d.lexeme = w.lexeme collate "C"
            ), 0))::bigint as chunks
        from word as w
    )

    select
        c.lexeme, c.expansion, c.identifier, c.chunks,
        ln(1 + (greatest(n.chunks, c.chunks) - c.chunks + 0.5) / (c.chunks + 0.5))::double precision
    from counted_word as c
    cross join corpus_size as n
    -- words that no chunk holds come last of their kind: they must not crowd out one that is found
    order by c.expansion, c.chunks = 0, c.chunks, c.lexeme
    limit config.value('kb.keyword_terms')::integer;
$$;

COMMENT ON FUNCTION search.query_words(tsquery tsquery) IS 'The positive words of a tsquery with how common each is, rarest first, at most kb.keyword_terms; negated ones are left out.';

REVOKE ALL ON FUNCTION search.query_words(tsquery tsquery) FROM PUBLIC;
GRANT ALL ON FUNCTION search.query_words(tsquery tsquery) TO pgkb_admin;

CREATE FUNCTION search.rank_candidates(request search.request, scopes search.visible_scope[], tags text[], candidates integer) RETURNS search.ranking
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _asked search.request := rank_candidates.request;
    _scope_ids bigint[] := array(select s.scope_id from unnest(rank_candidates.scopes) as s);
    _school_ids bigint[] := array(
        select s.scope_id
        from unnest(rank_candidates.scopes) as s
        where s.label = 'school' and _asked.school_limit > 0
    );
    -- more than are brought in: some may be copies of one text
    _school_depth integer := 5 * _asked.school_limit;
    _vector_hits search.vector_hit[];
    _keyword_hits search.keyword_hit[];
    _plans search.scope_plan[];
    _by_vector integer;
    _by_keyword integer;
    _last_ones bigint[];   -- of the legs that were cut
    _hits search.ranked_hit[];
    _begun timestamptz := clock_timestamp();
    _vector_done timestamptz;
    _keyword_done timestamptz;
begin
    select v.hits, v.plans into _vector_hits, _plans
    from search.vector_leg(
        _asked.query, _asked.set_id, rank_candidates.scopes, _asked.statuses,
        rank_candidates.tags, rank_candidates.candidates, _asked.retrieval_floor, _asked.as_of
    ) as v;
    _by_vector := cardinality(_vector_hits);
    _last_ones := array[(_vector_hits[rank_candidates.candidates]).chunk_id];
    if _asked.query is not null and cardinality(_school_ids) > 0 then
        -- the asked school's best few are candidates even where the leg was full without them
        _vector_hits := array(
            select row(u.chunk_id, u.similarity, u.rank)::search.vector_hit
            from (
                select
                    h.chunk_id, h.similarity,
                    (rank() over (order by round(h.similarity::numeric, 9) desc))::integer as rank
                from (
                    select v.chunk_id, v.similarity from unnest(_vector_hits) as v
                    union
                    select s.chunk_id, s.similarity
                    from search.exact_hits(
                        _asked.query, _asked.set_id, _school_ids, _asked.statuses,
                        rank_candidates.tags, _school_depth, _asked.as_of
                    ) as s
                    where
                        s.similarity >= _asked.school_floor
                        and not exists (
                            select from unnest(_vector_hits) as v where v.chunk_id = s.chunk_id
                        )
                ) as h
            ) as u
        );
    end if;
    _vector_done := clock_timestamp();

    _keyword_hits := array(
        select k
        from search.keyword_leg(
            _asked.tsquery, _scope_ids, _asked.statuses, rank_candidates.tags,
            rank_candidates.candidates, _asked.as_of,
            case
                when _asked.keyword_mode = 'vector_first' and _asked.query is not null
                    then array(select v.chunk_id from unnest(_vector_hits) as v)
            end
        ) as k
    );
    _by_keyword := cardinality(_keyword_hits);
    _last_ones := _last_ones || (_keyword_hits[rank_candidates.candidates]).chunk_id;
    if _asked.query is null and cardinality(_school_ids) > 0 then
        -- the same for the school where there is no vector to find it by
        _keyword_hits := array(
            select row(
                u.chunk_id, u.bm25_score, u.rank, u.identifier_matched, u.rare_words_matched,
                u.coverage
            )::search.keyword_hit
            from (
                select
                    h.chunk_id, h.bm25_score, h.identifier_matched, h.rare_words_matched,
                    h.coverage,
                    (rank() over (order by round(h.bm25_score::numeric, 9) desc))::integer as rank
                from (
                    select k.* from unnest(_keyword_hits) as k
                    union all
                    select s.*
                    from search.keyword_leg(
                        _asked.tsquery, _school_ids, _asked.statuses, rank_candidates.tags,
                        _school_depth, _asked.as_of
                    ) as s
                    where not exists (
                        select from unnest(_keyword_hits) as k where k.chunk_id = s.chunk_id
                    )
                ) as h
            ) as u
        );
    end if;
    _keyword_done := clock_timestamp();

    _hits := array(
        select h
        from search.fuse(
            _vector_hits, _keyword_hits,
            _asked.rrf_k, _asked.vector_weight, _asked.keyword_weight
        ) as h
    );
    if _asked.query is not null then
        -- the floor asks for a similarity of the chunks that only the keyword leg found, too
        _hits := array(
            select row(
                h.chunk_id, h.document_id, h.version_id, h.scope,
                coalesce(h.similarity, s.similarity), h.vector_rank, h.bm25_score, h.bm25_rank,
                h.matched_by, h.rrf_raw, h.freshness, h.authority_weight, h.boost, h.score,
                h.floor_exempt, h.coverage, h.school_boosted, h.dropped_because,
                h.content_hash, h.dropped_at, h.place
            )::search.ranked_hit
            from unnest(_hits) as h
            left join search.similarities(
                _asked.query, _asked.set_id,
                array(select m.chunk_id from unnest(_hits) as m where m.similarity is null)
            ) as s on h.chunk_id = s.chunk_id
        );
    end if;
    _hits := array(
        select h
        from search.weigh(
            _hits, rank_candidates.scopes, _asked.topics, coalesce(_asked.as_of, current_date)
        ) as h
    );
    _hits := array(
        select h
        from search.apply_floor(
            _hits, _asked.query is not null, _asked.relevance_floor, _asked.school_floor,
            _asked.school_limit, _asked.keyword_coverage, _asked.school_coverage
        ) as h
        order by h.score desc, h.chunk_id
    );
    return row(
        _hits, _plans, _by_vector, _by_keyword,
        exists (
            select
            from unnest(_hits) as h
            where
                h.chunk_id = any(_last_ones)
                and h.dropped_because is null
                and not h.school_boosted
        ),
        extract(epoch from _vector_done - _begun) * 1000,
        extract(epoch from _keyword_done - _vector_done) * 1000,
        extract(epoch from clock_timestamp() - _keyword_done) * 1000
    )::search.ranking;
end;
$$;

COMMENT ON FUNCTION search.rank_candidates(request search.request, scopes search.visible_scope[], tags text[], candidates integer) IS 'Both legs, fusion, weights and floor over the given scopes: every candidate, kept or with the reason it was dropped.';

REVOKE ALL ON FUNCTION search.rank_candidates(request search.request, scopes search.visible_scope[], tags text[], candidates integer) FROM PUBLIC;
GRANT ALL ON FUNCTION search.rank_candidates(request search.request, scopes search.visible_scope[], tags text[], candidates integer) TO pgkb_admin;

CREATE FUNCTION search.rebuild_statistics() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _wrong integer;
begin
    perform pg_advisory_xact_lock(hashtextextended('search.fold_statistics', 0));
    with difference as materialized (
        select c.statistic, c.subject, c.counted - c.kept as missing
        from search.check_statistics() as c
    ),

    noted_lexeme as (
        insert into search.lexeme_delta (lexeme, chunks)
        select d.subject, d.missing
        from difference as d
        where d.statistic = 'lexeme chunks'
    ),

    noted_scope as (
        insert into search.scope_delta (scope_id, chunks, tokens)
        select
            d.subject::bigint,
            coalesce(sum(d.missing) filter (where d.statistic = 'scope chunks'), 0),
            coalesce(sum(d.missing) filter (where d.statistic = 'scope tokens'), 0)
        from difference as d
        where d.statistic <> 'lexeme chunks'
        group by d.subject
    )

    select count(*) into _wrong from difference;
    perform search.fold_statistics();
    return _wrong;
end;
$$;

COMMENT ON FUNCTION search.rebuild_statistics() IS 'Put wrong statistics right; returns how many numbers were wrong. Searches see all of it or nothing.';

REVOKE ALL ON FUNCTION search.rebuild_statistics() FROM PUBLIC;
GRANT ALL ON FUNCTION search.rebuild_statistics() TO pgkb_admin;

CREATE FUNCTION search.record_search(results public.search_result[], la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, topics text[] DEFAULT NULL::text[], timings jsonb DEFAULT '{}'::jsonb, counts search.candidate_count DEFAULT NULL::search.candidate_count, mode text DEFAULT NULL::text, embedding_set text DEFAULT NULL::text, question text DEFAULT NULL::text) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _scope record;
    _topics text[];
    _timings jsonb;
    _total_ms double precision;
    _record_id bigint;
begin
    select s.* into _scope
    from search.scope_of(record_search.la, record_search.home_la, record_search.urn) as s;
    -- words of a pack, names of steps and plain numbers only: a question handed in by mistake
    -- stays out
    _topics := array(
        select t.slug from terms.topic as t
        where t.slug = any(record_search.topics)
        order by t.slug
    );
    select
        coalesce(jsonb_object_agg(t.key, t.value), '{}'),
        coalesce(
            max(t.value::double precision) filter (where t.key = 'total'),
            sum(t.value::double precision)
        )
    into _timings, _total_ms
    from jsonb_each(
        case jsonb_typeof(record_search.timings) when 'object' then record_search.timings end
    ) as t
    where
        t.key ~ '^[a-z][a-z_]{0,39}$'
        -- numeric is compared: as a double a huge or a tiny number would be an error
        and case
            when jsonb_typeof(t.value) = 'number'
                then t.value::numeric = 0 or t.value::numeric between 1e-9 and 1e9
            else false
        end;

    insert into search.record (
        la_code, home_la_code, school_urn, topics, result_count, vector_only_count,
        keyword_only_count, hybrid_count, la_count, national_count, top_similarity, top_bm25,
        top_rrf, topic_fallback_used, no_la_broad_fallback_used, school_boosted, timings,
        mode, embedding_set, candidate_count, vector_candidate_count, keyword_candidate_count,
        kept_count, attempts, total_ms, question_hash, question
    )
    select
        _scope.la_code, _scope.home_la_code, _scope.school_urn, _topics,
        count(*),
        count(*) filter (where r.matched_by = 'vector'),
        count(*) filter (where r.matched_by = 'keyword'),
        count(*) filter (where r.matched_by = 'hybrid'),
        count(*) filter (where r.scope in ('la', 'home_la', 'school')),
        count(*) filter (where r.scope = 'national'),
        max(r.similarity), max(r.bm25_score), max(r.rrf_raw),
        coalesce(
            (record_search.counts).topic_fallback_used, bool_or(r.topic_fallback_used), false
        ),
        coalesce(
            (record_search.counts).no_la_broad_fallback_used,
            bool_or(r.no_la_broad_fallback_used), false
        ),
        coalesce(bool_or(r.school_boosted), false),
        _timings,
        (
            select m.mode from unnest('{hybrid,vector_only,keyword_only,none}'::text[]) as m (mode)
            where m.mode = record_search.mode
        ),
        (
            select s.name from embedding.set as s
            where
                case
                    when record_search.embedding_set is null then s.active
                    else s.name = record_search.embedding_set
                end
        ),
        (record_search.counts).candidates,
        (record_search.counts).vector_candidates,
        (record_search.counts).keyword_candidates,
        (record_search.counts).kept,
        (record_search.counts).attempts,
        _total_ms,
        search.hash_question(record_search.question),
        case
            when config.value('kb.record_questions')::boolean
                then left(terms.fold_text(record_search.question), 2000)
        end
    from unnest(record_search.results) as r
    where r.chunk_id is not null
    returning record_id into _record_id;

    if _scope.la_code is not null and not exists (
        select from unnest(record_search.results) as r where r.scope = 'la'
    ) then
        perform audit.write_event(
            'la_coverage_miss', _scope.la_code,
            jsonb_build_object(
                'topics', _topics,
                'results', (
                    select count(*) from unnest(record_search.results) as r
                    where r.chunk_id is not null
                )
            )
        );
    end if;
    return _record_id;
end;
$_$;

COMMENT ON FUNCTION search.record_search(results public.search_result[], la text, home_la text, urn text, topics text[], timings jsonb, counts search.candidate_count, mode text, embedding_set text, question text) IS 'Note how a search went, in numbers; a known authority without a hit of its own is an audit row la_coverage_miss.';

REVOKE ALL ON FUNCTION search.record_search(results public.search_result[], la text, home_la text, urn text, topics text[], timings jsonb, counts search.candidate_count, mode text, embedding_set text, question text) FROM PUBLIC;
GRANT ALL ON FUNCTION search.record_search(results public.search_result[], la text, home_la text, urn text, topics text[], timings jsonb, counts search.candidate_count, mode text, embedding_set text, question text) TO pgkb_app;
GRANT ALL ON FUNCTION search.record_search(results public.search_result[], la text, home_la text, urn text, topics text[], timings jsonb, counts search.candidate_count, mode text, embedding_set text, question text) TO pgkb_admin;

CREATE FUNCTION search.resolve_request(query_vec public.vector, tsquery tsquery, la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, tags text[] DEFAULT NULL::text[], top_k integer DEFAULT NULL::integer, principals text[] DEFAULT NULL::text[], as_of date DEFAULT NULL::date, statuses text[] DEFAULT NULL::text[], topics text[] DEFAULT NULL::text[], candidates integer DEFAULT NULL::integer, rrf_k double precision DEFAULT NULL::double precision, vector_weight double precision DEFAULT NULL::double precision, keyword_weight double precision DEFAULT NULL::double precision, embedding_set text DEFAULT NULL::text) RETURNS search.request
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _set embedding.set := embedding.searched_set(resolve_request.embedding_set);
    _request search.request;
begin
    -- in the order of the type
    select
        case
            when public.vector_norm(resolve_request.query_vec) > 0
                then embedding.check_vector(resolve_request.query_vec, _set)
        end,
        resolve_request.tsquery,
        _set.set_id,
        nullif(btrim(resolve_request.la), ''),
        nullif(btrim(resolve_request.home_la), ''),
        nullif(btrim(resolve_request.urn), ''),
        resolve_request.principals,
        nullif(resolve_request.tags, '{}'),
        resolve_request.topics,
        coalesce(
            resolve_request.statuses,
            regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*')
        ),
        resolve_request.as_of,
        coalesce(resolve_request.top_k, config.value('kb.top_k')::integer),
        coalesce(resolve_request.candidates, config.value('kb.candidates')::integer),
        config.value('kb.max_chunks_per_document')::integer,
        coalesce(resolve_request.rrf_k, config.value('kb.rrf_k')::double precision),
        coalesce(
            resolve_request.vector_weight,
            config.value('kb.vector_weight')::double precision, _set.vector_weight
        ),
        coalesce(
            resolve_request.keyword_weight,
            config.value('kb.keyword_weight')::double precision, _set.keyword_weight
        ),
        config.value('kb.keyword_mode'),
        coalesce(config.value('kb.retrieval_floor')::double precision, _set.retrieval_floor),
        coalesce(config.value('kb.relevance_threshold')::double precision, _set.relevance_floor),
        config.value('kb.keyword_coverage')::double precision,
        coalesce(config.value('kb.school_floor')::double precision, _set.school_floor),
        config.value('kb.school_coverage')::double precision,
        config.value('kb.school_boost_limit')::integer
    into _request;
    perform search.check_arguments(
        _request.top_k, _request.candidates, _request.statuses,
        _request.rrf_k, _request.vector_weight, _request.keyword_weight
    );
    return _request;
end;
$$;

COMMENT ON FUNCTION search.resolve_request(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) IS 'What a search was asked, checked and with nothing left out: arguments, then settings, then the embedding set''s own.';

REVOKE ALL ON FUNCTION search.resolve_request(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION search.resolve_request(query_vec public.vector, tsquery tsquery, la text, home_la text, urn text, tags text[], top_k integer, principals text[], as_of date, statuses text[], topics text[], candidates integer, rrf_k double precision, vector_weight double precision, keyword_weight double precision, embedding_set text) TO pgkb_admin;

CREATE FUNCTION search.retrieve(request search.request) RETURNS search.retrieval
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _asked search.request := retrieve.request;
    _scopes search.visible_scope[];
    _attempts search.attempt[] := '{}';
    _hits search.ranked_hit[];
    _everywhere boolean;
    _without_tags boolean;
    _ranking search.ranking;
    _tags text[];
    _candidates integer;
    _chosen integer;
    _scopes_ms double precision := 0;
    _vector_ms double precision := 0;
    _keyword_ms double precision := 0;
    _rank_ms double precision := 0;
    _choose_ms double precision := 0;
    _since timestamptz;
begin
    <<attempt>>
    foreach _everywhere in array
        case
            when coalesce(_asked.la, _asked.home_la, _asked.urn) is null then array[false, true]
            else array[false]
        end
    loop
        _since := clock_timestamp();
        _scopes := array(
            select s
            from search.visible_scopes(
                _asked.la, _asked.home_la, _asked.urn, _asked.principals,
                _everywhere
            ) as s
        );
        _scopes_ms := _scopes_ms + extract(epoch from clock_timestamp() - _since) * 1000;
        foreach _without_tags in array
            case when _asked.tags is not null then array[false, true] else array[false] end
        loop
            _tags := case when not _without_tags then _asked.tags end;
            _candidates := _asked.candidates;
            loop
                _ranking := search.rank_candidates(_asked, _scopes, _tags, _candidates);
                _since := clock_timestamp();
                _hits := array(
                    select h
                    from search.choose(
                        _ranking.hits, _asked.top_k, _asked.max_chunks_per_document
                    ) as h
                );
                _chosen := (
                    select count(*) from unnest(_hits) as h where h.place is not null
                );
                _attempts := _attempts || row(
                    cardinality(_attempts) + 1,
                    _tags, _everywhere, _candidates,
                    _ranking.vector_hits, _ranking.keyword_hits, cardinality(_ranking.hits),
                    (
                        select count(*)
                        from unnest(_ranking.hits) as h
                        where h.dropped_because is null
                    ),
                    _chosen
                )::search.attempt;
                _vector_ms := _vector_ms + _ranking.vector_ms;
                _keyword_ms := _keyword_ms + _ranking.keyword_ms;
                _rank_ms := _rank_ms + _ranking.rank_ms;
                _choose_ms := _choose_ms + extract(epoch from clock_timestamp() - _since) * 1000;
                exit when
                    _chosen >= _asked.top_k or not _ranking.more_would_pass or _candidates >= 1000;
                _candidates := least(1000, 3 * _candidates);
            end loop;
            exit attempt when _chosen > 0;
        end loop;
    end loop attempt;
    return row(
        _asked, _scopes, _ranking.plans, _attempts, _hits, _without_tags, _everywhere,
        jsonb_build_object(
            'scopes', round(_scopes_ms::numeric, 2),
            'vector_leg', round(_vector_ms::numeric, 2),
            'keyword_leg', round(_keyword_ms::numeric, 2),
            'rank', round(_rank_ms::numeric, 2),
            'choose', round(_choose_ms::numeric, 2)
        )
    )::search.retrieval;
end;
$$;

COMMENT ON FUNCTION search.retrieve(request search.request) IS 'Run a search and hand on everything it looked at: candidates with what became of each, scopes, plans, attempts, flags, timings.';

REVOKE ALL ON FUNCTION search.retrieve(request search.request) FROM PUBLIC;
GRANT ALL ON FUNCTION search.retrieve(request search.request) TO pgkb_admin;

CREATE FUNCTION search.scope_of(la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, postcode text DEFAULT NULL::text) RETURNS TABLE(la_code text, la_name text, home_la_code text, home_la_name text, school_urn text, school_name text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    _la text := nullif(btrim(scope_of.la), '');
    _urn text := nullif(btrim(scope_of.urn), '');
    _postcode text := nullif(btrim(scope_of.postcode), '');
    _school_la text := place.check_school(_urn);
    _postcode_la text := place.authority_of_postcode(_postcode);
begin
    if _la is not null then
        la_code := place.resolve_authority(_la, _postcode);
    elsif _urn is not null then
        -- none where the authority was split and the school's place is not known
        la_code := (
            select a.la_code
            from place.school as s
            cross join lateral place.find_authority(_school_la, s.postcode) as a
            where s.urn = _urn
        );
    else
        la_code := _postcode_la;
    end if;
    home_la_code := coalesce(
        place.resolve_authority(nullif(btrim(scope_of.home_la), ''), _postcode),
        nullif(_postcode_la, la_code)
    );
    school_urn := _urn;
    la_name := (select a.name from place.authority as a where a.gss = la_code);
    home_la_name := (select a.name from place.authority as a where a.gss = home_la_code);
    school_name := (select s.name from place.school as s where s.urn = school_urn);
    return next;
end;
$$;

COMMENT ON FUNCTION search.scope_of(la text, home_la text, urn text, postcode text) IS 'Who a question is asked for, with names: the authority, the home authority and the school that what the asker gave resolves to.';

REVOKE ALL ON FUNCTION search.scope_of(la text, home_la text, urn text, postcode text) FROM PUBLIC;
GRANT ALL ON FUNCTION search.scope_of(la text, home_la text, urn text, postcode text) TO pgkb_app;
GRANT ALL ON FUNCTION search.scope_of(la text, home_la text, urn text, postcode text) TO pgkb_admin;

CREATE FUNCTION search.scoped_lexemes(lexemes tsvector, scope_id bigint) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    -- no text has a word with @ or ^ in it: the parser breaks it there
    select scoped_lexemes.lexemes || array_to_tsvector(
        array['@' || scoped_lexemes.scope_id] || array(
            select '^' || u.lexeme
            from unnest(scoped_lexemes.lexemes) as u
            where cardinality(u.positions) >= 3
        )
    );
$$;

COMMENT ON FUNCTION search.scoped_lexemes(lexemes tsvector, scope_id bigint) IS 'What the text index is made of: the lexemes of a chunk, its scope (@), and once more (^) the lexemes that it holds three times or oftener, so that of a word too common to read whole the best chunks can be read.';

REVOKE ALL ON FUNCTION search.scoped_lexemes(lexemes tsvector, scope_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION search.scoped_lexemes(lexemes tsvector, scope_id bigint) TO pgkb_ingest;
GRANT ALL ON FUNCTION search.scoped_lexemes(lexemes tsvector, scope_id bigint) TO pgkb_admin;

CREATE FUNCTION search.score_texts(texts search.text_index[], words search.query_word[], bm25 search.bm25) RETURNS SETOF search.keyword_hit
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _k1 double precision := (score_texts.bm25).k1;
    _b double precision := (score_texts.bm25).b;
    _mean_length double precision := (score_texts.bm25).mean_length;
    _expansion_weight double precision := (score_texts.bm25).expansion_weight;
    _rare_chunks double precision := (score_texts.bm25).rare_chunks;
    _lexemes text[] := array(select w.lexeme from unnest(score_texts.words) as w);
    _typed_idf double precision;   -- of the words the person typed
    _added_idf double precision;   -- of the words synonyms added
    _rare_words integer;
begin
    select
        sum(w.idf) filter (where not w.expansion and not w.identifier),
        sum(w.idf) filter (where w.expansion),
        count(*) filter (
            where not w.expansion and not w.identifier and w.chunks <= _rare_chunks
        )
    into _typed_idf, _added_idf, _rare_words
    from unnest(score_texts.words) as w;

    return query
    select
        s.chunk_id,
        s.bm25_score,
        (rank() over (order by round(s.bm25_score::numeric, 9) desc))::integer,
        s.identifier_matched,
        _rare_words > 0 and s.rare_words_matched = _rare_words,
        greatest(
            coalesce(s.typed_idf / nullif(_typed_idf, 0), 0),
            coalesce(s.added_idf / nullif(_added_idf, 0), 0)
        )
    from (
        select
            c.chunk_id,
            sum(
                w.idf * case when w.expansion then _expansion_weight else 1 end
                * m.tf * (_k1 + 1)
                / (m.tf + _k1 * (1 - _b + _b * c.token_count / _mean_length))
            ) as bm25_score,
            bool_or(w.identifier and not w.expansion) as identifier_matched,
            count(*) filter (
                where not w.expansion and not w.identifier and w.chunks <= _rare_chunks
            ) as rare_words_matched,
            coalesce(
                sum(w.idf) filter (where not w.expansion and not w.identifier), 0
            ) as typed_idf,
            coalesce(sum(w.idf) filter (where w.expansion), 0) as added_idf
        from unnest(score_texts.texts) as c
        cross join lateral (
            -- what is left of the text without the words that nobody asked for
            select u.lexeme, coalesce(cardinality(u.positions), 1)::double precision as tf
            from unnest(
                ts_delete(c.lexemes, tsvector_to_array(ts_delete(c.lexemes, _lexemes)))
            ) as u
        ) as m
        inner join unnest(score_texts.words) as w on m.lexeme = w.lexeme
        group by c.chunk_id
    ) as s
    where s.bm25_score > 0
    order by 3, s.chunk_id;
end;
$$;

COMMENT ON FUNCTION search.score_texts(texts search.text_index[], words search.query_word[], bm25 search.bm25) IS 'BM25 of texts by all words of a question, best first; a text without any of them is left out.';

REVOKE ALL ON FUNCTION search.score_texts(texts search.text_index[], words search.query_word[], bm25 search.bm25) FROM PUBLIC;
GRANT ALL ON FUNCTION search.score_texts(texts search.text_index[], words search.query_word[], bm25 search.bm25) TO pgkb_admin;

CREATE FUNCTION search.similarities(query public.halfvec, set_id integer, chunk_ids bigint[]) RETURNS TABLE(chunk_id bigint, similarity double precision)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select v.chunk_id, 1 - (v.embedding operator(public.<=>) similarities.query)
    from embedding.vector as v
    where v.set_id = similarities.set_id and v.chunk_id = any(similarities.chunk_ids)
    union all
    select v.chunk_id, 1 - (v.embedding operator(public.<=>) similarities.query)
    from embedding.cold_vector as v
    where v.set_id = similarities.set_id and v.chunk_id = any(similarities.chunk_ids);
$$;

COMMENT ON FUNCTION search.similarities(query public.halfvec, set_id integer, chunk_ids bigint[]) IS 'Cosine similarity of named chunks, whichever leg found them; chunks without a vector in the set are left out.';

REVOKE ALL ON FUNCTION search.similarities(query public.halfvec, set_id integer, chunk_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION search.similarities(query public.halfvec, set_id integer, chunk_ids bigint[]) TO pgkb_admin;

CREATE FUNCTION search.text_index__keep_statistics() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _sign integer := case tg_op when 'INSERT' then 1 else -1 end;
    _bound integer := config.value('kb.fold_after')::integer;
begin
    insert into search.lexeme_delta (lexeme, chunks)
    select u.lexeme, _sign * count(*)
    from changed as c
    cross join lateral unnest(c.lexemes) as u
    group by u.lexeme;

    insert into search.scope_delta (scope_id, chunks, tokens)
    select coalesce(c.scope_id, 0), _sign * count(*), _sign * sum(c.token_count)
    from changed as c
    group by grouping sets ((c.scope_id), ())
    having count(*) > 0;
    -- a search adds up what is not folded: where no worker folds, writers do; but what others
    -- folded since would fail a transaction that still sees the past
    if current_setting('transaction_isolation') = 'read committed' and (
        select count(*) > _bound
        from (
            select from search.scope_delta as d where d.scope_id = 0 limit _bound + 1
        ) as waiting_change
    ) then
        perform search.fold_statistics();
    end if;
    return null;
end;
$$;

COMMENT ON FUNCTION search.text_index__keep_statistics() IS 'Postings gained or lost are noted as deltas: one appended row per lexeme and scope and statement, no row is hot.';

REVOKE ALL ON FUNCTION search.text_index__keep_statistics() FROM PUBLIC;
GRANT ALL ON FUNCTION search.text_index__keep_statistics() TO pgkb_ingest;
GRANT ALL ON FUNCTION search.text_index__keep_statistics() TO pgkb_admin;

CREATE FUNCTION search.vector_leg(query public.halfvec, set_id integer, scopes search.visible_scope[], statuses text[], tags text[] DEFAULT NULL::text[], candidates integer DEFAULT 50, floor double precision DEFAULT '-1'::integer, as_of date DEFAULT NULL::date) RETURNS search.vector_found
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _exact_limit bigint := config.value('kb.exact_limit')::bigint;
    _plans search.scope_plan[];
    _scope_ids bigint[] := array(select v.scope_id from unnest(vector_leg.scopes) as v);
    _tagged bigint;   -- visible chunks with the tags, counted no further than matters; NULL: no tags
    _small bigint[];
    _large bigint[];
    _national bigint[];
    _group bigint[];
    _found search.vector_hit[];
    _hits search.vector_hit[];
begin
    if vector_leg.query is not null and vector_leg.tags is not null and vector_leg.as_of is null then
        select count(*) into _tagged
        from (
            select
            from corpus.chunk_fact as f
            where
                f.tags && vector_leg.tags
                and f.scope_id = any(_scope_ids)
                and f.status = any(vector_leg.statuses)
            limit _exact_limit + 1
        ) as t;
    end if;
    _plans := array(
        select row(
            s.scope_id, s.label, s.chunks,
            case
                when vector_leg.query is null then 'none'
                when
                    vector_leg.as_of is not null
                    or _tagged <= _exact_limit
                    or s.running <= _exact_limit
                    then 'exact'
                else 'index'
            end,
            case
                when vector_leg.query is null then 'no query vector'
                when vector_leg.as_of is not null
                    then 'no index holds the versions of another day'
                when _tagged <= _exact_limit
                    then format(
                        '%s visible chunks carry the tags, within kb.exact_limit %s',
                        _tagged, _exact_limit
                    )
                else format(
                    '%s chunks, %s with the smaller scopes, %s kb.exact_limit %s',
                    s.chunks, s.running,
                    case when s.running <= _exact_limit then 'within' else 'over' end, _exact_limit
                )
            end
        )::search.scope_plan
        from (
            select
                v.scope_id, v.label, v.chunks,
                sum(v.chunks) over (order by v.chunks, v.scope_id) as running
            from unnest(vector_leg.scopes) as v
        ) as s
        order by s.chunks, s.scope_id
    );
    if vector_leg.query is null or _tagged = 0 then
        return row('{}'::search.vector_hit[], _plans)::search.vector_found;
    end if;
    _small := array(select p.scope_id from unnest(_plans) as p where p.plan = 'exact');
    _large := array(select p.scope_id from unnest(_plans) as p where p.plan = 'index');
    _national := array(
        select p.scope_id from unnest(_plans) as p where p.plan = 'index' and p.label = 'national'
    );

    if cardinality(_small) > 0 then
        _hits := array(
            select h
            from search.exact_hits(
                vector_leg.query, vector_leg.set_id, _small, vector_leg.statuses, vector_leg.tags,
                vector_leg.candidates, vector_leg.as_of
            ) as h
        );
    end if;
    for _group in
        select l.scope_ids
        from (values (_national), (array_remove(_large, _national[1]))) as l (scope_ids)
        where cardinality(l.scope_ids) > 0
    loop
        _found := array(
            select h
            from search.index_hits(
                vector_leg.query, vector_leg.set_id, _group, vector_leg.statuses, vector_leg.tags,
                vector_leg.candidates
            ) as h
        );
        if cardinality(_found) < vector_leg.candidates then
            _plans := array(
                select row(
                    p.scope_id, p.label, p.chunks,
                    case when p.scope_id = any(_group) then 'index topped up' else p.plan end,
                    p.reason || case
                        when p.scope_id = any(_group) then format(
                            '; the index found %s of %s, so an exact scan followed',
                            cardinality(_found), vector_leg.candidates
                        )
                        else ''
                    end
                )::search.scope_plan
                from unnest(_plans) as p
            );
            _found := array(
                select h
                from search.exact_hits(
                    vector_leg.query, vector_leg.set_id, _group, vector_leg.statuses,
                    vector_leg.tags, vector_leg.candidates
                ) as h
            );
        end if;
        _hits := _hits || _found;
    end loop;

    _hits := array(
        select row(h.chunk_id, h.similarity, h.rank)::search.vector_hit
        from (
            select
                u.chunk_id, u.similarity,
                rank() over (order by round(u.similarity::numeric, 9) desc) as rank
            from unnest(_hits) as u
            where u.similarity >= vector_leg.floor
        ) as h
        order by h.rank, h.chunk_id
        limit vector_leg.candidates
    );
    return row(_hits, _plans)::search.vector_found;
end;
$$;

COMMENT ON FUNCTION search.vector_leg(query public.halfvec, set_id integer, scopes search.visible_scope[], statuses text[], tags text[], candidates integer, floor double precision, as_of date) IS 'The vector leg: the most similar visible chunks above the floor, filled to the limit whatever the filter''s selectivity; and how each scope was read.';

REVOKE ALL ON FUNCTION search.vector_leg(query public.halfvec, set_id integer, scopes search.visible_scope[], statuses text[], tags text[], candidates integer, floor double precision, as_of date) FROM PUBLIC;
GRANT ALL ON FUNCTION search.vector_leg(query public.halfvec, set_id integer, scopes search.visible_scope[], statuses text[], tags text[], candidates integer, floor double precision, as_of date) TO pgkb_admin;

CREATE FUNCTION search.visible_scopes(la text DEFAULT NULL::text, home_la text DEFAULT NULL::text, urn text DEFAULT NULL::text, principals text[] DEFAULT NULL::text[], everywhere boolean DEFAULT false) RETURNS SETOF search.visible_scope
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    _urn text := nullif(btrim(visible_scopes.urn), '');
    _la text[] := place.authority_family(nullif(btrim(visible_scopes.la), ''));
    _home text[] := place.authority_family(nullif(btrim(visible_scopes.home_la), ''));
begin
    perform place.check_school(_urn);
    return query
    select
        s.scope_id,
        case
            when s.kind = 'national' then 'national'
            when s.kind = 'private' then 'shared'
            when s.kind = 'school' then 'school'
            when s.la_code = any(_la) then 'la'
            when s.la_code = any(_home) then 'home_la'
            else 'la'
        end,
        coalesce((select z.chunks from search.scope_size as z where z.scope_id = s.scope_id), 0)
    from (
        select n.scope_id, n.kind, n.la_code from corpus.scope as n where n.kind = 'national'
        union all
        select a.scope_id, a.kind, a.la_code
        from corpus.scope as a
        where a.kind = 'la' and (visible_scopes.everywhere or a.la_code = any(_la || _home))
        union all
        select u.scope_id, u.kind, u.la_code
        from corpus.scope as u
        where u.kind = 'school' and u.school_urn = _urn
        union all
        select p.scope_id, p.kind, p.la_code
        from corpus.scope as p
        where
            p.kind = 'private'
            and (
                p.owner = any(visible_scopes.principals)
                or p.principals && visible_scopes.principals
            )
    ) as s;
end;
$$;

COMMENT ON FUNCTION search.visible_scopes(la text, home_la text, urn text, principals text[], everywhere boolean) IS 'The scopes a caller may see, with their labels and sizes; with everywhere, all authorities instead of national only.';

REVOKE ALL ON FUNCTION search.visible_scopes(la text, home_la text, urn text, principals text[], everywhere boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION search.visible_scopes(la text, home_la text, urn text, principals text[], everywhere boolean) TO pgkb_admin;

CREATE FUNCTION search.weigh(hits search.ranked_hit[], scopes search.visible_scope[], topics text[] DEFAULT NULL::text[], on_day date DEFAULT CURRENT_DATE) RETURNS SETOF search.ranked_hit
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    -- materialized: read and checked once, not for each candidate
    with setting as materialized (
        select
            config.value('kb.freshness_floor')::double precision as freshness_floor,
            config.value('kb.topic_boost')::double precision as topic_boost,
            config.value('kb.local_boost')::double precision as local_boost
    ),

    weighed as (
        select
            h as hit,
            c.document_id,
            c.version_id,
            c.content_hash,
            s.label,
            search.freshness(v.effective_date, weigh.on_day, setting.freshness_floor) as freshness,
            coalesce(r.weight, 1) as authority_weight,
            case when f.tags && weigh.topics then setting.topic_boost else 1 end
            * case when s.label in ('la', 'home_la', 'school') then setting.local_boost else 1 end
            as boost
        from unnest(weigh.hits) as h
        cross join setting
        inner join corpus.chunk as c on h.chunk_id = c.chunk_id
        inner join corpus.chunk_fact as f on h.chunk_id = f.chunk_id
        inner join corpus.version as v on c.version_id = v.version_id
        inner join unnest(weigh.scopes) as s on c.scope_id = s.scope_id
        left join corpus.authority_rank as r on v.authority = r.authority
    )

    select
        (w.hit).chunk_id,
        w.document_id,
        w.version_id,
        w.label,
        (w.hit).similarity,
        (w.hit).vector_rank,
        (w.hit).bm25_score,
        (w.hit).bm25_rank,
        (w.hit).matched_by,
        (w.hit).rrf_raw,
        w.freshness,
        w.authority_weight,
        w.boost,
        (w.hit).rrf_raw * w.freshness * w.authority_weight * w.boost,
        (w.hit).floor_exempt,
        (w.hit).coverage,
        (w.hit).school_boosted,
        (w.hit).dropped_because,
        w.content_hash,
        (w.hit).dropped_at,
        (w.hit).place
    from weighed as w;
$$;

COMMENT ON FUNCTION search.weigh(hits search.ranked_hit[], scopes search.visible_scope[], topics text[], on_day date) IS 'Mild weights after fusion: freshness, kind of publisher, topic and local boosts; score = rrf_raw times all of them.';

REVOKE ALL ON FUNCTION search.weigh(hits search.ranked_hit[], scopes search.visible_scope[], topics text[], on_day date) FROM PUBLIC;
GRANT ALL ON FUNCTION search.weigh(hits search.ranked_hit[], scopes search.visible_scope[], topics text[], on_day date) TO pgkb_admin;

CREATE FUNCTION search.word_question(question text, viewer text DEFAULT NULL::text, OUT query_vec public.vector, OUT tsquery tsquery, OUT topics text[], OUT embedding_set text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    -- a switch meanwhile must not mix two models: every step is told the set
    _set embedding.set := embedding.active_set();
    -- what the endpoint is given, and so all that the vector depends on: a model reads a window of
    -- some 250 tokens at a time, and more of them take longer and say less of what is asked
    _question text := left(word_question.question, 1000);
    _viewer text := coalesce(word_question.viewer, '');
begin
    if coalesce(word_question.question, '') !~ '\S' then
        raise exception 'the question is empty'
            using errcode = 'SE003', hint = 'Ask with at least one word.';
    end if;
    embedding_set := _set.name;
    query_vec := embedding.cached_query(_viewer, _question, _set.name);
    if query_vec is null and to_regprocedure('embedding.embed_text(text, text)') is null then
        raise notice 'keyword search only: embedding.embed_text is not installed (it needs plpython3u)';
    elsif query_vec is null then
        begin
            execute 'select embedding.embed_text($1, $2)' into query_vec
            using _question, _set.name;
            perform embedding.check_vector(query_vec, _set);
            if not current_setting('transaction_read_only')::boolean then
                perform embedding.remember_query(_viewer, _question, query_vec, _set.name);
            end if;
        exception when sqlstate 'VE008' or sqlstate 'VE002' or sqlstate 'VE001' then
            query_vec := null;
            raise notice 'keyword search only: %', replace(sqlerrm, 'plpy.Error: ', '');
        end;
    end if;
    tsquery := terms.build_tsquery(
        word_question.question, terms.expand_query(word_question.question)
    );
    topics := terms.topics_for(word_question.question);
end;
$_$;

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
    AS $$
    with typed as (
        -- a longer question is cut: its first words say what it is about
        select terms.to_index(left(coalesce(build_tsquery.question, ''), 4000)) as lexemes
    ),

    added as (
        select terms.to_index(
            left(coalesce(array_to_string(build_tsquery.expansions, ' ; '), ''), 10000)
        ) as lexemes
    ),

    word as (
        select
            u.lexeme,
            '' as label
        from typed
        cross join lateral unnest(typed.lexemes) as u
        union all
        select
            u.lexeme,
            ':D' as label
        from added
        cross join lateral unnest(added.lexemes) as u
        where u.lexeme not in (
            select t.lexeme from typed cross join lateral unnest(typed.lexemes) as t
        )
    )

    select string_agg(
        terms.quote_lexeme(word.lexeme) || word.label, ' | ' order by word.label, word.lexeme
    )::tsquery
    from word;
$$;

COMMENT ON FUNCTION terms.build_tsquery(question text, expansions text[]) IS 'Any-term query of a question; words that only an expansion brought carry the label D. NULL when nothing can be searched for.';

REVOKE ALL ON FUNCTION terms.build_tsquery(question text, expansions text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.build_tsquery(question text, expansions text[]) TO pgkb_app;
GRANT ALL ON FUNCTION terms.build_tsquery(question text, expansions text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.build_tsquery(question text, expansions text[]) TO pgkb_admin;

CREATE FUNCTION terms.check_pattern(pattern text, owner text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _matches_nothing_said boolean;
begin
    begin
        -- no text, and a word that nobody says
        _matches_nothing_said := '' ~* check_pattern.pattern or 'qzx' ~* check_pattern.pattern;
    exception when invalid_regular_expression then
        raise exception 'the pattern of "%" is not a regular expression', check_pattern.owner
            using errcode = 'TE001', detail = sqlerrm,
                  hint = 'Patterns are PostgreSQL regular expressions: \y is a word edge.';
    end;
    if coalesce(check_pattern.pattern, '') = '' or _matches_nothing_said then
        raise exception 'the pattern of "%" matches every question', check_pattern.owner
            using errcode = 'TE001', hint = 'Give a pattern that needs at least one word.';
    end if;
end;
$$;

COMMENT ON FUNCTION terms.check_pattern(pattern text, owner text) IS 'Refuse a regular expression that the server cannot run or that matches everything.';

REVOKE ALL ON FUNCTION terms.check_pattern(pattern text, owner text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.check_pattern(pattern text, owner text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.check_pattern(pattern text, owner text) TO pgkb_admin;

CREATE FUNCTION terms.check_rows(pack text, rows jsonb) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if coalesce(check_rows.pack, '') !~ '\S' then
        raise exception 'the pack has no name'
            using errcode = 'TE004', hint = 'Name the pack that the rows belong to.';
    end if;
    if jsonb_typeof(check_rows.rows) is distinct from 'array' or exists (
        select
        from jsonb_array_elements(
            case jsonb_typeof(check_rows.rows) when 'array' then check_rows.rows end
        ) as r
        where jsonb_typeof(r.value) <> 'object'
    ) then
        raise exception 'the rows of pack "%" are not a list of objects', left(check_rows.pack, 60)
            using errcode = 'TE004', hint = 'Give a JSON array with one object for each row.';
    end if;
end;
$$;

COMMENT ON FUNCTION terms.check_rows(pack text, rows jsonb) IS 'Refuse what is no named pack with a list of objects, one for each row.';

REVOKE ALL ON FUNCTION terms.check_rows(pack text, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.check_rows(pack text, rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.check_rows(pack text, rows jsonb) TO pgkb_admin;

CREATE FUNCTION terms.count_tokens(lexemes tsvector) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(sum(coalesce(cardinality(u.positions), 1)), 0)::integer
    from unnest(count_tokens.lexemes) as u;
$$;

COMMENT ON FUNCTION terms.count_tokens(lexemes tsvector) IS 'Length of a text for BM25: its tokens, stop words left out.';

REVOKE ALL ON FUNCTION terms.count_tokens(lexemes tsvector) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.count_tokens(lexemes tsvector) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.count_tokens(lexemes tsvector) TO pgkb_admin;

CREATE FUNCTION terms.expand_query(question text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(array_agg(distinct e.term order by e.term), '{}')
    from (
        -- folding makes up to 18 characters of one
        select left(terms.fold_text(left(expand_query.question, 4000)), 4000) as folded
        offset 0
    ) as q
    inner join terms.synonym as s
        -- the order of the tests matters: compiling a pattern costs far more than LIKE
        on case when s.required is null or q.folded like any(s.required)
            then q.folded ~* s.pattern and (s.unless is null or q.folded !~* s.unless)
        end
    cross join lateral unnest(s.expansions) as e (term);
$$;

COMMENT ON FUNCTION terms.expand_query(question text) IS 'Terms to add to a question, from every synonym that fires; what was typed is kept by the caller.';

REVOKE ALL ON FUNCTION terms.expand_query(question text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.expand_query(question text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.expand_query(question text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.expand_query(question text) TO pgkb_admin;

CREATE FUNCTION terms.fold_text(content text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    -- normalised again at the end: a small letter may join with a mark its capital cannot
    select normalize(lower(btrim(regexp_replace(
        -- a word hyphenated at the end of a line is one word
        regexp_replace(
            translate(
                normalize(
                    -- soft hyphen, zero-width, direction marks, byte order mark, tag characters
                    regexp_replace(
                        -- NFKC would take these two apart before they are quotes
                        translate(fold_text.content, E'\u00b4\u2033', $chars$'"$chars$),
                        E'[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]',
                        '', 'g'
                    ),
                    nfkc
                ),
                E'\u2018\u2019\u201a\u201b\u02bc\u0060\u2032\u201c\u201d\u201e\u2010\u2011\u2012\u2013\u2014\u2015\u2212',
                $chars$'''''''"""-------$chars$
            ),
            '([[:alpha:]])-[ \t]*\r?\n[ \t]*([[:lower:]])', '\1\2', 'g'
        ),
        '\s+', ' ', 'g'
    ))), nfkc);
$_$;

COMMENT ON FUNCTION terms.fold_text(content text) IS 'One spelling for matching: lower case, NFKC, straight quotes, single spaces, no invisible characters, no line-end hyphens.';

REVOKE ALL ON FUNCTION terms.fold_text(content text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.fold_text(content text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.fold_text(content text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.fold_text(content text) TO pgkb_admin;

CREATE FUNCTION terms.identifiers(folded text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    -- the parser never makes a token with #, so these cannot collide with words
    select coalesce(array_agg(distinct left(i.token, 100)), '{}')
    from (
        select '#' || case m.part[1]
            when 's' then 's' when '§' then 's' when 'r' then 'r' else 'p'
        end || n.number as token
        from regexp_matches(
            identifiers.folded,
            -- not the s of "she's 15"
            '(?:(?<!'')\m(s|r|p)(?:s|ections?|eg|egs|egulations?|ara|aras|aragraphs?)?\.? ?|(§)+ ?)'
            || '(\d{1,4}(?:\.\d{1,3}){0,3}[a-z]{0,2})\M((?:\(\w{1,4}\)){0,3})'
            || '(?: ?(?:-|to|and) ?(\d{1,4}[a-z]{0,2})\M)?',
            'g'
        ) as r (part)
        cross join lateral (
            select array[coalesce(r.part[1], r.part[2]), r.part[3], r.part[4], r.part[5]]
        ) as m (part)
        cross join lateral (
            values (m.part[2]), (m.part[2] || nullif(m.part[3], '')), (m.part[4])
        ) as n (number)
        where n.number is not null
        union all
        -- inc-48211, pol-001, bcc-pol-014; not post-16 or covid-19
        select '#' || m.part[1]
        from regexp_matches(
            identifiers.folded,
            '\m([a-z]{2,12}[-_]\d{3,}[a-z0-9]{0,12}'
            || '|[a-z]{2,12}(?:[-_][a-z]{2,12}){1,4}[-_]\d+[a-z0-9]{0,12})\M',
            'g'
        ) as m (part)
    ) as i;
$$;

COMMENT ON FUNCTION terms.identifiers(folded text) IS 'Identifier tokens of a folded text: #s36 for section 36, #r5 for regulation 5, #p9.69 for paragraph 9.69, #inc-48211 for a case number.';

REVOKE ALL ON FUNCTION terms.identifiers(folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.identifiers(folded text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.identifiers(folded text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.identifiers(folded text) TO pgkb_admin;

CREATE FUNCTION terms.load_synonyms(pack text, rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    _row record;
    _count integer := 0;
begin
    perform terms.check_rows(load_synonyms.pack, load_synonyms.rows);
    perform terms.open_pack(load_synonyms.pack);
    delete from terms.synonym as s where s.pack = load_synonyms.pack;
    for _row in
        select *
        from jsonb_to_recordset(load_synonyms.rows) as r (
            pattern text, "unless" text, phrases text, expansions jsonb, citation text,
            caution text
        )
    loop
        perform terms.check_pattern(_row.pattern, _row.phrases);
        if nullif(_row."unless", '') is not null then
            perform terms.check_pattern(_row."unless", _row.phrases);
        end if;
        if coalesce(_row.phrases, '') = '' or coalesce((
            -- nothing, no list, an empty one, or something in it that is no term
            select bool_or(jsonb_typeof(e.value) <> 'string' or e.value #>> '{}' !~ '\S')
            from jsonb_array_elements(
                case jsonb_typeof(_row.expansions) when 'array' then _row.expansions end
            ) as e
        ), true) then
            raise exception 'a synonym has no phrases or no expansions: "%"',
                coalesce(_row.phrases, _row.pattern)
                using errcode = 'TE002',
                      hint = 'Give both columns; expansions are a list of terms.';
        end if;
        insert into terms.synonym (pack, pattern, unless, phrases, expansions, citation, caution)
        values (
            load_synonyms.pack, _row.pattern, nullif(_row."unless", ''), _row.phrases,
            array(select e.value from jsonb_array_elements_text(_row.expansions) as e),
            coalesce(_row.citation, ''), coalesce(_row.caution, '')
        )
        on conflict on constraint synonym_once_per_pattern do nothing;
        if not found then
            raise exception 'the pattern of "%" stands in two rows', _row.phrases
                using errcode = 'TE001', hint = 'Put the expansions of both into one row.';
        end if;
        _count := _count + 1;
    end loop;
    return _count;
end;
$$;

COMMENT ON FUNCTION terms.load_synonyms(pack text, rows jsonb) IS 'Replace the synonyms of a pack; returns how many there are.';

REVOKE ALL ON FUNCTION terms.load_synonyms(pack text, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.load_synonyms(pack text, rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.load_synonyms(pack text, rows jsonb) TO pgkb_admin;

CREATE FUNCTION terms.load_topics(pack text, rows jsonb) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _row record;
    _owner text;
    _count integer := 0;
begin
    perform terms.check_rows(load_topics.pack, load_topics.rows);
    perform terms.open_pack(load_topics.pack);
    delete from terms.topic as t where t.pack = load_topics.pack;
    for _row in
        select *
        from jsonb_to_recordset(load_topics.rows) as r (
            slug text, name text, pattern text, citation text, fact text
        )
    loop
        if coalesce(_row.slug, '') !~ '^[a-z0-9]+(-[a-z0-9]+)*$' then
            raise exception 'a topic cannot have the slug "%"', left(coalesce(_row.slug, ''), 60)
                using errcode = 'TE003',
                      hint = 'Give small letters and digits, with single dashes between words.';
        end if;
        perform terms.check_pattern(_row.pattern, _row.slug);
        insert into terms.topic (pack, slug, name, pattern, citation, fact)
        values (
            load_topics.pack, _row.slug, coalesce(_row.name, _row.slug), _row.pattern,
            coalesce(_row.citation, ''), coalesce(_row.fact, '')
        )
        on conflict on constraint topic_pk do nothing;
        if not found then
            -- a tag means one thing in the whole corpus
            select t.pack into _owner from terms.topic as t where t.slug = _row.slug;
            raise exception 'the topic "%" %', left(_row.slug, 60), case
                when _owner = load_topics.pack then 'stands in two rows'
                else format('belongs to pack "%s"', left(_owner, 60))
            end
                using errcode = 'TE003', hint = 'Give every topic of all packs a slug of its own.';
        end if;
        _count := _count + 1;
    end loop;
    return _count;
end;
$_$;

COMMENT ON FUNCTION terms.load_topics(pack text, rows jsonb) IS 'Replace the topics of a pack; returns how many there are.';

REVOKE ALL ON FUNCTION terms.load_topics(pack text, rows jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.load_topics(pack text, rows jsonb) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.load_topics(pack text, rows jsonb) TO pgkb_admin;

CREATE FUNCTION terms.open_pack(pack text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    insert into terms.pack as p (pack) values (open_pack.pack)
    on conflict (pack) do update set revision = p.revision + 1, loaded_at = now();
$$;

COMMENT ON FUNCTION terms.open_pack(pack text) IS 'Note that the words of a pack change: its revision grows, so cached questions are not reused.';

REVOKE ALL ON FUNCTION terms.open_pack(pack text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.open_pack(pack text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.open_pack(pack text) TO pgkb_admin;

CREATE FUNCTION terms.prepare_text(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select regexp_replace(
        regexp_replace(
            regexp_replace(
                -- embedded base64 and the like would be dropped by the parser with a notice each
                -- (commas and bars part words: a row of a table without spaces is no such token)
                -- (the parser would take what stands between < and > for a tag of HTML)
                regexp_replace(
                    translate(prepare_text.folded, '<>,;|。、', '       '), '\S{200,}', ' ', 'g'
                ),
                -- s.36, s36, ss.38 and the section sign: section 36; not the s of "she's 15"
                '((?<!'')\mss?\.? ?|§+ ?)(?=\d)', 'section ', 'g'
            ),
            -- inc-48211: inc 48211 (the parser would make -48211 a number)
            '(?<=[[:alnum:]])-(?=\d)', ' ', 'g'
        ),
        -- send/ehcp: send ehcp (the parser would make it one file name)
        '(?<=[[:alnum:]])/(?=[[:alpha:]])', ' ', 'g'
    );
$$;

COMMENT ON FUNCTION terms.prepare_text(folded text) IS 'Folded text with section references, case numbers and slashed pairs spelled so that the parser splits them into words.';

REVOKE ALL ON FUNCTION terms.prepare_text(folded text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.prepare_text(folded text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.prepare_text(folded text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.prepare_text(folded text) TO pgkb_admin;

CREATE FUNCTION terms.quote_lexeme(lexeme text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select '''' || replace(replace(quote_lexeme.lexeme, '\', '\\'), '''', '''''') || '''';
$$;

COMMENT ON FUNCTION terms.quote_lexeme(lexeme text) IS 'A lexeme as it stands in the text of a tsquery: quoted, never parsed again.';

REVOKE ALL ON FUNCTION terms.quote_lexeme(lexeme text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.quote_lexeme(lexeme text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.quote_lexeme(lexeme text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.quote_lexeme(lexeme text) TO pgkb_admin;

CREATE FUNCTION terms.read_alternatives(tokens text[], INOUT place integer, OUT texts text[]) RETURNS record
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    _token text;
    _literal boolean;
    _run text := '';   -- literal signs in a row
    _best text[];      -- what the alternative being read must hold
    _inner text[];
begin
    texts := '{}';
    loop
        _token := read_alternatives.tokens[place];
        -- what may be left out is not required
        _literal := _token ~ '^(\\[^[:alnum:]]|[^][\\.^$|?*+{}()])$'
            and (read_alternatives.tokens[place + 1] ~ '^[?*{]') is not true;
        if _literal then
            _run := _run || right(_token, 1);
        end if;
        if not _literal or read_alternatives.tokens[place + 1] like '+%' then
            _best := terms.stricter(_best, case when length(_run) >= 2 then array[_run] end);
            _run := '';
        end if;
        if _token is null then
            texts := null;  -- never closed
            return;
        elsif _token like '(%' then
            select r.place, r.texts into place, _inner
            from terms.read_alternatives(read_alternatives.tokens, place + 1) as r;
            if _token in ('(', '(?:')
                and (read_alternatives.tokens[place + 1] ~ '^[?*{]') is not true
            then
                _best := terms.stricter(_best, _inner);
            end if;
        elsif _token in ('|', ')') then
            -- nothing of one alternative, and nothing is sure of all
            texts := case when not (_best is null or texts is null) then texts || _best end;
            _best := null;
            exit when _token = ')';
        end if;
        place := place + 1;
    end loop;
end;
$_$;

COMMENT ON FUNCTION terms.read_alternatives(tokens text[], INOUT place integer, OUT texts text[]) IS 'The part of terms.required_text for one group of a regular expression, from the token at place to its closing.';

REVOKE ALL ON FUNCTION terms.read_alternatives(tokens text[], INOUT place integer, OUT texts text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.read_alternatives(tokens text[], INOUT place integer, OUT texts text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.read_alternatives(tokens text[], INOUT place integer, OUT texts text[]) TO pgkb_admin;

CREATE FUNCTION terms.required_text(pattern text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select array_agg('%' || regexp_replace(lower(t), '([\\%_])', '\\\1', 'g') || '%' order by t)
    from (
        select distinct unnest(r.texts) as t
        from terms.read_alternatives(
            array(
                select m.part[1]
                from regexp_matches(
                    required_text.pattern || ')',
                    -- escape, bracket, opening, closing, bar, quantifier, any other sign
                    '(\\.|\[\^?\]?(?:\[:[a-z]+:\]|[^]])*\]|\((?:\?<?[:=!])?|\)|\||[?*+]\??|\{[^}]*\}\??|.)',
                    'g'
                ) as m (part)
            ), 1
        ) as r
    ) as u
    -- what opens so is written by other rules
    where required_text.pattern !~ '^(\*\*\*|\(\?[a-z]+\))';
$$;

COMMENT ON FUNCTION terms.required_text(pattern text) IS 'LIKE patterns one of which every text fits that the regular expression matches; NULL when nothing is sure. Longer texts are preferred: they fit fewer questions.';

REVOKE ALL ON FUNCTION terms.required_text(pattern text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.required_text(pattern text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.required_text(pattern text) TO pgkb_admin;

CREATE FUNCTION terms.stricter(one text[], other text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select c.texts
    from (values (1, stricter.one), (2, stricter.other)) as c (place, texts)
    where c.texts is not null
    order by (select min(length(t)) from unnest(c.texts) as t) desc, c.place
    limit 1;
$$;

COMMENT ON FUNCTION terms.stricter(one text[], other text[]) IS 'Of two lists of texts the one whose shortest text is longer; NULL knows nothing.';

REVOKE ALL ON FUNCTION terms.stricter(one text[], other text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.stricter(one text[], other text[]) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.stricter(one text[], other text[]) TO pgkb_admin;

CREATE FUNCTION terms.to_index(content text) RETURNS tsvector
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select
        to_tsvector(config.value('kb.text_config')::regconfig, terms.prepare_text(f.folded))
        || array_to_tsvector(terms.identifiers(f.folded))
    from (
        -- past this a tsvector could outgrow its limit of 1 MB; chunks are far shorter
        -- (twice: folding makes up to 18 characters of one)
        select left(terms.fold_text(left(to_index.content, 100000)), 100000) as folded
        -- kept apart, or folding would be inlined and done once for each use
        offset 0
    ) as f;
$$;

COMMENT ON FUNCTION terms.to_index(content text) IS 'The lexemes of a text, stemmed, with its identifier tokens; the same for documents and questions.';

REVOKE ALL ON FUNCTION terms.to_index(content text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.to_index(content text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.to_index(content text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.to_index(content text) TO pgkb_admin;

CREATE FUNCTION terms.topics_for(question text) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(array_agg(t.slug order by t.slug), '{}')
    from (
        -- folding makes up to 18 characters of one
        select left(terms.fold_text(left(topics_for.question, 4000)), 4000) as folded
        offset 0
    ) as q
    inner join terms.topic as t
        -- the order of the tests matters: compiling a pattern costs far more than LIKE
        on case when t.required is null or q.folded like any(t.required)
            then q.folded ~* t.pattern
        end;
$$;

COMMENT ON FUNCTION terms.topics_for(question text) IS 'Topic slugs of a question, all that apply.';

REVOKE ALL ON FUNCTION terms.topics_for(question text) FROM PUBLIC;
GRANT ALL ON FUNCTION terms.topics_for(question text) TO pgkb_app;
GRANT ALL ON FUNCTION terms.topics_for(question text) TO pgkb_ingest;
GRANT ALL ON FUNCTION terms.topics_for(question text) TO pgkb_admin;
