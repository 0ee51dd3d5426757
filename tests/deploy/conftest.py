"""What a deployment on several machines is made of, tested with its packages: `make test-deploy` installs them and runs
these tests, `make test` does not."""

import importlib.util

import pytest

if importlib.util.find_spec("moto") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def s3_address():
    """A local server that speaks S3, one for all tests: fsspec keeps its connections."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(s3_address, monkeypatch):
    """A client of that server, with an empty bucket `ultron`; the environment names both."""
    import boto3

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_address)
    client = boto3.client("s3")
    client.create_bucket(Bucket="ultron")
    yield client
    held = client.list_objects_v2(Bucket="ultron").get("Contents", [])
    for one in held:
        client.delete_object(Bucket="ultron", Key=one["Key"])
    client.delete_bucket(Bucket="ultron")
