"""What goes over the wire and what comes back, held against the protocol's own client."""

import json
import socket
from contextlib import closing

import openai
import pytest

from copperbench.agent.endpoint import Endpoint
from copperbench.agent.provider import ProviderError, Usage, parse_reply
from copperbench.agent.settings import ModelChoice, Retries
from copperbench.errors import HarnessUnavailable

MESSAGES = [{"role": "system", "content": "Edit µA and Ω."}, {"role": "user", "content": "microphone-board"}]
TOOLS = [{"type": "function", "function": {"name": "list_nets", "parameters": {"type": "object", "properties": {}}}}]
KEY = "sk-planted0123456789abcdefghijklmn"


def endpoint(url, model="careful", key=KEY, **changes):
    settings = {"timeout_s": 20, "max_tokens": 99, "retries": Retries(0, 0.0, 0)} | changes
    return Endpoint(ModelChoice(f"compat:{model}", "flag", "openai-compat", model, url, key), **settings)


@pytest.fixture(autouse=True)
def _forget(server, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    server.requests.clear()
    server.heads.clear()


def test_the_protocols_own_client_sends_the_same(server):
    endpoint(server.url).reply(MESSAGES, TOOLS)
    client = openai.OpenAI(api_key=KEY, base_url=server.url, max_retries=0)
    client.chat.completions.create(model="careful", messages=MESSAGES, tools=TOOLS, tool_choice="auto", max_tokens=99)
    assert (server.requests[0], server.heads[0]) == (server.requests[1], server.heads[1])


def test_the_protocols_own_client_understands_the_same(server, scripted, monkeypatch):
    answer = scripted.completion("µA", ("edit_file", {"path": "a"}), ("list_nets", {}))
    monkeypatch.setitem(scripted.SCRIPTS, "mixed", lambda *_: answer)
    client = openai.OpenAI(api_key=KEY, base_url=server.url, max_retries=0)
    theirs = client.chat.completions.create(model="mixed", messages=MESSAGES, tools=TOOLS)
    message, usage = theirs.choices[0].message, theirs.usage
    ours = endpoint(server.url, "mixed").reply(MESSAGES, TOOLS)
    assert (ours.text, ours.served, ours.finish_reason) == (message.content, theirs.model, "tool_calls")
    assert [(each.id, each.name, each.args) for each in ours.calls] == [
        (each.id, each.function.name, json.loads(each.function.arguments)) for each in message.tool_calls
    ]
    assert ours.usage == Usage(usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details.cached_tokens)


@pytest.mark.parametrize(
    ("told", "cached", "written"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 7, "cache_write_tokens": 2}}, 7, 2),
        ({"prompt_cache_hit_tokens": 7, "prompt_cache_miss_tokens": 3}, 7, None),
        ({"cache_read_input_tokens": 7, "cache_creation_input_tokens": 2}, 7, 2),
        ({"prompt_tokens_details": {"cached_tokens": 0}}, 0, None),
        ({"prompt_tokens_details": None}, None, None),
        ({"prompt_tokens_details": {"cached_tokens": "many"}}, None, None),
    ],
)
def test_cached_tokens_are_found_under_each_servers_name(told, cached, written, scripted):
    body = scripted.completion("x", usage={"prompt_tokens": 10, "completion_tokens": 1} | told).body
    assert parse_reply(body, 0).usage == Usage(10, 1, cached, written)


def test_what_a_thinking_model_wants_back_is_given_back_word_for_word(server, scripted, monkeypatch):
    answer = json.loads(scripted.completion(None, ("list_nets", {})).body)
    signature = {"google": {"thought_signature": "c2lnbmVk"}}
    message = answer["choices"][0]["message"]
    message |= {"reasoning_content": "The net is DATA.", "reasoning_details": [{"type": "x", "data": "y"}], "odd": 1}
    message["tool_calls"][0]["extra_content"] = signature
    body = json.dumps(answer).encode()
    monkeypatch.setitem(scripted.SCRIPTS, "thinker", lambda *_: scripted.Answer(body))
    said = endpoint(server.url, "thinker").reply(MESSAGES, TOOLS).as_message()
    assert said["tool_calls"][0]["extra_content"] == signature
    assert (said["reasoning_content"], said["reasoning_details"]) == ("The net is DATA.", [{"type": "x", "data": "y"}])
    assert "odd" not in said


def test_a_reply_without_thoughts_is_given_back_without(server):
    said = endpoint(server.url).reply(MESSAGES, TOOLS).as_message()
    assert set(said) == {"role", "content", "tool_calls"}
    assert {key for each in said["tool_calls"] for key in each} == {"id", "type", "function"}


def test_a_redirect_is_not_followed_with_the_key(server, scripted, monkeypatch):
    moved = scripted.Answer(b"", 307, (("Location", f"{server.url}/elsewhere"),))
    monkeypatch.setitem(scripted.SCRIPTS, "moved", lambda *_: moved)
    with pytest.raises(ProviderError, match="307"):
        endpoint(server.url, "moved").reply(MESSAGES, TOOLS)
    assert len(server.heads) == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "no such\\n model"}}', "404 no such model"),
        (b'{"error": "no such model"}', "404 no such model"),
        (b'{"detail": "no such model"}', "404 no such model"),
        (b"<html>\x1b[31mnot here</html>", "404 <html> [31mnot here</html>"),
        (b"[" * 100_000, "404 " + "[" * 500),
        (b"", "404"),
    ],
)
def test_what_a_server_says_of_a_refused_request_is_one_plain_line(server, scripted, monkeypatch, body, said):
    monkeypatch.setitem(scripted.SCRIPTS, "gone", lambda *_: scripted.Answer(body, 404))
    with pytest.raises(ProviderError) as raised:
        endpoint(server.url, "gone").reply(MESSAGES, TOOLS)
    assert raised.value.what == said


def test_nobody_at_the_address_is_said_without_the_address():
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ProviderError) as raised:
        endpoint(url).reply(MESSAGES, TOOLS)
    assert raised.value.what == "no connection: nobody answers at that address (1 attempts)"


@pytest.mark.parametrize("key", ["sk-planted\n", "sk planted", "sk-plänted"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_said(key):
    with pytest.raises(HarnessUnavailable) as raised:
        endpoint("http://127.0.0.1:1/v1", key=key)
    assert "plant" not in str(raised.value)


@pytest.mark.parametrize("url", ["http://", "http://[::1", "http://127.0.0.1:port/v1"])
def test_an_address_that_is_none_is_refused_before_anything_is_sent(url):
    with pytest.raises(HarnessUnavailable, match="cannot be connected to"):
        endpoint(url)


def test_the_proxy_that_the_environment_names_is_used(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
    endpoint("http://models.invalid/v1").reply(MESSAGES, TOOLS)
    assert [head[0] for head in server.heads] == ["http://models.invalid/v1/chat/completions"]
