-- Who may do what, on one page. Runs with every deploy, last; what is not granted here is not allowed.
--
--   pgkb_reader  may only search and ask why: those functions apply scope, the tables stay shut
--   pgkb_app     a reader that also asks for topics, keeps query vectors and notes what it saw
--   pgkb_ingest  stages, embeds and publishes documents, works the queue, loads packs
--   pgkb_admin   reads everything, decides on chunks, changes settings and sets
--   the owner    the role that deploys: owns everything

-- nobody gets anything by default
revoke all on schema
config, audit, place, terms, corpus, embedding, queue, intake, crawl, validation, search, chat, eval,
dba
from public, pgkb_reader, pgkb_app, pgkb_ingest, pgkb_admin;
revoke all on all tables in schema
config, audit, place, terms, corpus, embedding, queue, intake, crawl, validation, search, chat, eval,
dba
from public, pgkb_reader, pgkb_app, pgkb_ingest, pgkb_admin;
revoke all on all functions in schema
config, audit, place, terms, corpus, embedding, queue, intake, crawl, validation, search, chat, eval,
dba
from public, pgkb_reader, pgkb_app, pgkb_ingest, pgkb_admin;
-- people: tables and functions that decide for somebody
revoke all on schema limits, account, privacy
from public, pgkb_reader, pgkb_app, pgkb_ingest, pgkb_admin;
revoke all on all tables in schema limits, account
from public, pgkb_reader, pgkb_app, pgkb_ingest, pgkb_admin;
revoke all on all functions in schema limits, account, privacy
from public, pgkb_reader, pgkb_app, pgkb_ingest, pgkb_admin;
revoke all on table public.knowledge_base
from public, pgkb_reader, pgkb_app, pgkb_ingest, pgkb_admin;
revoke all on function
public.search_kb, public.search_text, public.explain_search, public.explain_text, public.why_not,
public.why_not_text, public.resolve_la, public.resolve_citation, public.read_document
from public, pgkb_reader, pgkb_app, pgkb_ingest, pgkb_admin;

-- search, why it found what it found, whom to search for, what a citation or a document says
grant execute on function
public.search_kb, public.search_text, public.explain_search, public.explain_text, public.why_not,
public.why_not_text, public.resolve_la, public.resolve_citation, public.read_document
to pgkb_reader, pgkb_app, pgkb_admin;

-- app: words of a question, its vector, who it is for, what came back
grant usage on schema config, place, terms, embedding, search, audit, intake, crawl, dba to pgkb_app;
grant select on table config.setting, config.settings to pgkb_app;
grant select on all tables in schema place, terms to pgkb_app;
grant select on table embedding.set to pgkb_app;
grant select, insert, update on table embedding.query_cache to pgkb_app;
grant insert, select (record_id) on table search.record to pgkb_app;
grant insert (kind, subject, detail, actor), select (event_id) on table audit.event to pgkb_app;
grant execute on function
config.value, config.check_value, config.unusable_settings, audit.write_event, audit.actor,
place.resolve_authority, place.authority_family, place.check_school,
place.find_authority, place.fold_postcode, place.find_postcode, place.authority_of_postcode,
terms.fold_text, terms.prepare_text, terms.identifiers, terms.to_index, terms.quote_lexeme,
terms.build_tsquery, terms.expand_query, terms.topics_for,
embedding.active_set, embedding.named_set, embedding.check_vector, embedding.question_hash,
embedding.expansion_revision, embedding.cached_query, embedding.remember_query,
search.scope_of, search.hash_question, search.find, search.record_search,
intake.create_batch, intake.batch_status,
dba.vital_signs, dba.readiness
to pgkb_app;
-- people: by functions only, which no statement of the app's own can read around
grant usage on schema limits, account, privacy to pgkb_app;
grant execute on function
limits.take,
account.refuse_closed, account.start_registration, account.register,
account.start_sign_in, account.finish_sign_in, account.refresh,
account.session_role, account.sign_out, account.sign_out_everywhere, account.profile,
account.start_password_check, account.change_password, account.set_school,
account.list_children, account.add_child, account.change_child, account.remove_child,
account.add_person, account.find_person, account.list_people, account.set_role,
account.set_disabled, account.set_password,
privacy.export_person, privacy.erase_person
to pgkb_app;
-- conversations: only whose they are, so by function and never by table
grant usage on schema chat to pgkb_app;
grant execute on function
chat.context_of, chat.broader_question, chat.start_turn, chat.finish_turn,
chat.list_conversations, chat.read_conversation, chat.delete_conversation
to pgkb_app;
-- its administrators set up, start and rest visits to web sites
grant select on table crawl.job_report, crawl.site_overview, crawl.visit, crawl.url to pgkb_app;
grant execute on function
crawl.set_site, crawl.start, crawl.pause_job, crawl.resume_job, crawl.cancel_job
to pgkb_app;

-- ingest: everything between a parsed text and a published version
grant usage on schema
config, audit, place, terms, corpus, embedding, queue, intake, crawl, validation, search
to pgkb_ingest;
grant select on table
config.setting, config.settings, corpus.status_edge, embedding.set, embedding.fill_progress,
search.scope_size
to pgkb_ingest;
grant insert (kind, subject, detail, actor), select (event_id) on table audit.event to pgkb_ingest;
grant select, insert, update, delete on all tables in schema place, terms to pgkb_ingest;
grant select, insert, update, delete on table
corpus.scope, corpus.authority_rank, corpus.domain, corpus.document, corpus.version, corpus.chunk,
corpus.chunk_fact,
embedding.vector, embedding.bit_vector, embedding.cold_vector, embedding.query_cache,
embedding.wanted_vector,
embedding.fill_batch, embedding.spend,
search.text_index, search.lexeme_stat, search.lexeme_delta, search.scope_stat, search.scope_delta,
search.recent_text, search.posting_list, search.listed_block, search.listed_scope,
queue.task, intake.batch, intake.page, intake.upload, intake.upload_file,
crawl.site, crawl.host, crawl.job, crawl.url, crawl.visit, crawl.policy_page
to pgkb_ingest;
grant select, update on table queue.provider_rate to pgkb_ingest;
grant select on table queue.job, queue.summary, crawl.job_report, crawl.site_overview
to pgkb_ingest;
grant usage on schema chat to pgkb_ingest;
grant select, insert, update, delete on table chat.wording to pgkb_ingest;
grant execute on function chat.load_wording, chat.purge to pgkb_ingest;
grant execute on all functions in schema audit, place, terms, corpus, queue, intake, crawl
to pgkb_ingest;
grant execute on function
config.value, config.check_value,
embedding.active_set, embedding.named_set, embedding.text_of, embedding.check_vector,
embedding.check_numbers, embedding.chunks_to_embed, embedding.store_vectors,
embedding.store_numbers, embedding.keep_vectors, embedding.expansion_revision,
embedding.purge_queries, embedding.want_version, embedding.claim_chunks, embedding.store_filled,
embedding.keep_filled,
embedding.release_chunks, embedding.fill_is_over, embedding.estimate_fill, embedding.note_spend,
embedding.index_statements, embedding.missing_indexes, embedding.spare_indexes,
embedding.previous_set,
search.fold_statistics, search.scoped_lexemes, search.text_index__keep_statistics,
search.purge_records, search.refresh_postings, search.scopes_to_list, search.list_postings,
search.bm25_settings, search.bm25_impact, search.idf, search.scan_limit, embedding.own_index
to pgkb_ingest;
-- tidying up, not looking
grant usage on schema privacy to pgkb_ingest;
grant execute on function privacy.purge to pgkb_ingest;
-- nor is forgetting ingest's: it is done for a person
revoke execute on function
audit.forget_person, corpus.remove_owned, intake.remove_owned
from pgkb_ingest;
-- what a curator asked for in a run
grant execute on function validation.judge_batch to pgkb_ingest;
-- deciding is not ingest's
revoke execute on function
corpus.set_status, corpus.set_tags, corpus.decide_chunks, corpus.decide_documents,
corpus.supersede, corpus.undo_supersession, corpus.restore_version, corpus.release_version,
queue.set_rate
from pgkb_ingest;

-- admin: curators and DBAs
grant usage on schema
config, audit, place, terms, corpus, embedding, queue, intake, crawl, validation, search, eval, dba
to pgkb_admin;
grant select on all tables in schema
config, audit, place, terms, corpus, embedding, queue, intake, crawl, validation, search, eval, dba
to pgkb_admin;
grant select on table public.knowledge_base to pgkb_admin;
grant execute on all functions in schema
config, audit, place, terms, corpus, embedding, queue, intake, crawl, validation, search, eval, dba
to pgkb_admin;
-- who has an account and a session; no password, no token, no child
grant usage on schema limits, account, privacy to pgkb_admin;
grant select on table limits.rule, account.person, account.session to pgkb_admin;
grant execute on function
account.add_person, account.find_person, account.list_people, account.set_role,
account.set_disabled, account.set_password,
privacy.export_person, privacy.erase_person, privacy.purge
to pgkb_admin;
revoke execute on function
audit.forget_person, corpus.remove_owned, intake.remove_owned, embedding.forget_viewer
from pgkb_admin;
-- how answers came about, never what was asked
grant usage on schema chat to pgkb_admin;
grant select on table chat.trace, chat.source, chat.wording to pgkb_admin;
grant execute on function chat.purge to pgkb_admin;
-- judged questions and what was measured with them
grant insert, update, delete on all tables in schema eval to pgkb_admin;
-- when and from which login is not theirs to say
grant insert (kind, subject, detail, actor) on table audit.event to pgkb_admin;
-- what audits found and what was built when
grant insert, delete on table dba.recall_run, dba.recall_result to pgkb_admin;
grant insert, update, delete on table dba.index_build to pgkb_admin;
-- nobody who reads records may test which question one was
revoke select on table search.hash_key from pgkb_admin;
revoke execute on function search.hash_question from pgkb_admin;
grant update (installed_value) on table config.setting to pgkb_admin;
grant update (status, tags)
on table corpus.chunk_fact to pgkb_admin;
-- not endpoint_url: the server's key is sent there
grant update (
    active, state, replaced_at,
    retrieval_floor, relevance_floor, school_floor, vector_weight, keyword_weight,
    usd_per_million_tokens
) on table embedding.set to pgkb_admin;
grant insert, update, delete on table embedding.wanted_vector to pgkb_admin;
grant delete on table embedding.fill_batch to pgkb_admin;
grant update on table queue.task to pgkb_admin;
grant insert, update, delete on table queue.provider_rate to pgkb_admin;
