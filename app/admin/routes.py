"""The controllers of the admin routes, for `create_app`."""

from app.admin.analytics.routes import AnalyticsController
from app.admin.crawler.routes import CrawlerController
from app.admin.documents import DocumentController
from app.admin.operations.routes import OperationsController
from app.admin.uploads import UploadController
from app.admin.validation.routes import ValidationController

ADMIN_CONTROLLERS = (
    UploadController,
    DocumentController,
    ValidationController,
    CrawlerController,
    AnalyticsController,
    OperationsController,
)
